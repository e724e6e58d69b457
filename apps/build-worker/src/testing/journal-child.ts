import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { systemPrincipal } from '@plinth/auth';
import { managerFor } from '@plinth/database';
import { obeyCrashOrder, type CrashAct } from '@plinth/testing';
import { GitJournal } from '../data-models';

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

export const act: CrashAct = (database, { file }) => writeToFile(new GitJournal(database, refFileHandlers(file)), file);

if (require.main === module) void obeyCrashOrder(act);
