import type { ServiceName } from '@plinth/contract';
import { Database, SecretBox } from '@plinth/database';
import { configureFailpoint, runInContext } from '@plinth/observability';
import { notesSchemaOf } from '../notes';

/** What a crash test tells the program that it runs; comes as JSON in the first argument. */
export interface CrashOrder {
  /** The step at which the program dies, if any. */
  failpoint: string | null;
  service: ServiceName;
  url: string;
  encryptionKey: string;
  /** What to do, where the program can do several things. */
  action: string;
  /** The idempotency key of what is done. */
  key: string;
  /** Where the program leaves lines for what reaches the world outside the database. */
  file: string;
}

/** What a program that lived to the end has printed. */
export interface CrashReply {
  reply: unknown;
  /** Whether the reply was that of an earlier run. */
  replayed: boolean;
}

/** What a crash test does, in a process of its own or in the one of the test. */
export type CrashAct = (database: Database, order: CrashOrder) => Promise<unknown>;

/** For the program: does what it was told, and prints the reply. */
export async function obeyCrashOrder(act: CrashAct): Promise<void> {
  const reply = await performCrashOrder(act, JSON.parse(process.argv[2] ?? '') as CrashOrder);
  process.stdout.write(JSON.stringify(reply));
}

/** Does what the order says as a request with an idempotency key and an audit event. */
export async function performCrashOrder(act: CrashAct, order: CrashOrder): Promise<CrashReply> {
  const { service, url, encryptionKey, key, failpoint } = order;
  const secrets = new SecretBox([encryptionKey]);
  const database = await Database.open({ ...notesSchemaOf(service), url, secrets, migrate: 'none' });
  configureFailpoint(failpoint ?? undefined);
  const context = {
    requestId: 'r-1',
    idempotency: { operationId: 'addNote', key, fingerprint: 'f-1' },
    audit: { event: 'note.created', attributes: {}, deploymentId: null },
    replayed: false,
  };
  try {
    const reply = await runInContext(context, () => act(database, order));
    return { reply, replayed: context.replayed };
  } finally {
    await database.close();
  }
}
