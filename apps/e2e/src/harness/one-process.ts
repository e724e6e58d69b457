import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiClient } from './api-client';
import { ChildService, runFolder } from './child-service';
import { wallSettings } from './machine-wall';
import { operatorCommand } from './operator-command';
import { adminKey, type Topology } from './topology';

export interface OneProcess extends Topology {
  processes: ReadonlyMap<'platform', ChildService>;
}

/** The embedded default, as `npm start` runs it: every service in one process, with a PostgreSQL of its own. */
export async function startOneProcess(settings: Record<string, string> = {}): Promise<OneProcess> {
  const dataFolder = await mkdtemp(join(runFolder(), 'e2e-'));
  const environment = {
    PLINTH_DATA_FOLDER: dataFolder,
    PLINTH_PORT: '0',
    PLINTH_BOOTSTRAP_API_KEY: adminKey,
    ...wallSettings(),
    ...settings,
  };
  const platform = await ChildService.start({
    entry: 'platform/src/main.js',
    environment,
    readyText: 'ready http',
  });
  const ready = await platform.waitForLine((line) => line.includes('ready http'));
  const url = /ready (https?:\/\/\S+)/.exec(ready)?.[1] ?? '';
  return {
    name: 'one process',
    tenant: 'local',
    environment,
    admin: new ApiClient(url, `Bearer ${adminKey}`),
    plinth: (...words) => operatorCommand(environment, words),
    processes: new Map([['platform' as const, platform]]),
    stop: async () => {
      await platform.stop();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}
