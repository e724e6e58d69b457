import { join } from 'node:path';
import { CrashStage } from '@plinth/testing';
import { act, refFileHandlers } from '../../testing/journal-child';
import { GitJournal } from './git-journal';

describe('a git write after kill -9', () => {
  const stage = new CrashStage('build-worker', join(__dirname, '../../testing/journal-child.ts'), act);

  it.each(['journal.after-intent', 'journal.after-refs', 'journal.before-commit', 'journal.after-commit'])(
    'a retried git write moves the reference once, settles once and gives equal replies: %s',
    async (failpoint) => {
      expect(await stage.run(failpoint)).toBeUndefined();
      const retried = await stage.run(null);
      const repeated = await stage.run(null);
      expect(retried?.replayed).toBe(failpoint !== 'journal.after-intent');
      expect(repeated).toEqual({ reply: retried?.reply, replayed: true });
      expect(stage.lines()).toEqual([(retried?.reply as { commit: string }).commit]);
      expect([await stage.countOf('note'), await stage.countOf('outbox'), await stage.countOf('intent')]).toEqual([
        1, 1, 0,
      ]);
    },
  );

  it.each([
    ['journal.after-intent', 0],
    ['journal.after-refs', 1],
  ])('the recovery settles what nobody retries: %s', async (failpoint, effects) => {
    await stage.run(failpoint);
    const database = await stage.open();
    const journal = new GitJournal(database, refFileHandlers(stage.file));
    expect(await journal.recover()).toBe(0);
    expect(await stage.countOf('intent')).toBe(1);

    await stage.query("update intent set created_at = now() - interval '2 minutes'");
    expect(await journal.recover()).toBe(1);
    await database.close();
    expect(await stage.countOf('intent')).toBe(0);
    expect([await stage.countOf('note'), await stage.countOf('outbox'), stage.lines().length]).toEqual([
      effects,
      effects,
      effects,
    ]);
    expect((await stage.run(null))?.replayed).toBe(effects === 1);
    expect(stage.lines()).toHaveLength(1);
  });
});
