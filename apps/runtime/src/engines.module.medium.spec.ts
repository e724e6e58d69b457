import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '@plinth/config';
import { Sandboxes } from '@plinth/host';
import { createLogger } from '@plinth/observability';
import { Sandbox } from '@plinth/sandbox';
import { Registry } from 'prom-client';
import { processDriver } from './engines.module';
import { runtimeSettings } from './runtime.config';

const logger = createLogger('runtime', 'silent');
const config = loadConfig(runtimeSettings, {
  PLINTH_DATABASE_URL: 'postgres://h/d',
  PLINTH_ENCRYPTION_KEYS: Buffer.alloc(32).toString('base64'),
});

describe(processDriver.name, () => {
  it('takes a wall only after trying that models read their program behind it, and not the sockets of engines', async () => {
    const open = jest.spyOn(Sandbox, 'open');
    const sandboxes = new Sandboxes({ logger, metrics: new Registry(), onNoWall: () => undefined });
    const driver = await processDriver(config, sandboxes, logger);
    const { readable = [], secrets = [] } = open.mock.calls[0]?.[0] ?? {};
    expect(readable.some((folder) => existsSync(join(folder, 'model', 'main.js')))).toBe(true);
    expect(readable.some((folder) => folder.endsWith('node_modules'))).toBe(true);
    expect(secrets).toEqual([expect.stringContaining('plinth-engines-')]);
    expect(statSync(secrets[0] ?? '').isDirectory()).toBe(true);
    await driver.close();
    expect(existsSync(secrets[0] ?? '')).toBe(false);
  });
});
