import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { systemPrincipal } from '@plinth/auth';
import { Database, managerFor, SecretBox } from '@plinth/database';
import { configureFailpoint, runInContext } from '@plinth/observability';
import { GitJournal } from '../data-models';

/** What a crash test tells its child; comes as JSON in the first argument. */
export interface JournalOrder {
  failpoint: string | null;
  url: string;
  encryptionKey: string;
  /** Stands in for a git reference: holds the name of the newest commit. */
  refFile: string;
}

/** Does one write and prints the reply; dies at the failpoint when one is named. */
async function obey(order: JournalOrder): Promise<void> {
  const database = await Database.open({
    service: 'build-worker',
    entities: [],
    migrations: { preDeploy: [], postDeploy: [] },
    url: order.url,
    secrets: new SecretBox([order.encryptionKey]),
    migrate: 'none',
  });
  configureFailpoint(order.failpoint ?? undefined);
  const context = {
    requestId: 'r-1',
    idempotency: { operationId: 'addNote', key: 'k-1', fingerprint: 'f-1' },
    audit: { event: 'note.created', attributes: {}, deploymentId: null },
    replayed: false,
  };
  const reply = await runInContext(context, () =>
    writeToFile(new GitJournal(database, refFileHandlers(order.refFile)), order.refFile),
  );
  process.stdout.write(JSON.stringify({ reply, replayed: context.replayed }));
  await database.close();
}

/** The reference is a list of commits; the last one is its head. */
const commitsIn = (refFile: string): string[] =>
  existsSync(refFile) ? readFileSync(refFile, 'utf8').split('\n').filter(Boolean) : [];

export const refFileHandlers = (refFile: string) => ({
  isApplied: (intent: { refs: readonly { newId: string }[] }): Promise<boolean> =>
    Promise.resolve(intent.refs.every(({ newId }) => commitsIn(refFile).includes(newId))),
  settle: async (tx: Parameters<typeof managerFor>[0]): Promise<void> => {
    await managerFor(tx).query("insert into note (tenant_id, text) values (1, 'settled')");
  },
});

const writeToFile = (journal: GitJournal<null>, refFile: string): Promise<{ commit: string }> =>
  journal.run(systemPrincipal(1), () => {
    const head = commitsIn(refFile).at(-1) ?? '';
    const commit = `commit-${process.pid}-${Math.random()}`;
    return Promise.resolve({
      deploymentId: 7,
      refs: [{ name: 'refs/heads/main', oldId: head, newId: commit }],
      details: null,
      reply: { commit },
      applyRefs: () => {
        if ((commitsIn(refFile).at(-1) ?? '') !== head) return Promise.reject(new Error('the reference has moved'));
        return Promise.resolve(writeFileSync(refFile, `${commit}\n`, { flag: 'a' }));
      },
    });
  });

const [, , order] = process.argv;
if (require.main === module && order !== undefined) void obey(JSON.parse(order) as JournalOrder);
