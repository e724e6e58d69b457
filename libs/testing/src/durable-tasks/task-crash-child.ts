import { appendFileSync } from 'node:fs';
import { Database, SecretBox } from '@plinth/database';
import { configureFailpoint, createLogger } from '@plinth/observability';
import { TaskRunner } from '@plinth/tasks';
import { Registry } from 'prom-client';
import type { TaskSubject } from './task-subject';

/** What a crash test tells its child; comes as JSON in the first argument. */
export interface TaskCrashOrder {
  /** File that exports the tasks as `subject`. */
  module: string;
  url: string;
  encryptionKey: string;
  /** Where work leaves a line. */
  effects: string;
  failpoint: string;
}

/** Does tasks until it dies at the failpoint. */
async function obey({ module, url, encryptionKey, effects, failpoint }: TaskCrashOrder): Promise<void> {
  const { subject } = (await import(module)) as { subject: TaskSubject };
  const secrets = new SecretBox([encryptionKey]);
  const database = await Database.open({ ...subject.schema, url, secrets, migrate: 'none' });
  configureFailpoint(failpoint);
  new TaskRunner({
    kind: subject.kind,
    store: subject.storeOf(database, 'doomed'),
    work: async () => {
      appendFileSync(effects, 'done\n');
      return subject.result;
    },
    concurrency: 1,
    drainMs: 0,
    describe: () => ({}),
    logger: createLogger('doomed', 'warn'),
    metrics: new Registry(),
  }).start();
}

const [, , order] = process.argv;
if (require.main === module && order !== undefined) void obey(JSON.parse(order) as TaskCrashOrder);
