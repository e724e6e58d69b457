import { join } from 'node:path';
import { CrashStage } from '@plinth/testing';
import { act } from './testing/crash-child';

describe('after kill -9', () => {
  const stage = new CrashStage('workspace', join(__dirname, 'testing/crash-child.ts'), act);

  it.each(['mutate.after-claim', 'mutate.after-work', 'mutate.before-commit', 'mutate.after-commit'])(
    'a retried mutation has one effect, one audit event and equal replies: %s',
    async (failpoint) => {
      expect(await stage.run(failpoint)).toBeUndefined();
      const retried = await stage.run(null);
      const repeated = await stage.run(null);
      expect(retried?.replayed).toBe(failpoint === 'mutate.after-commit');
      expect(repeated).toEqual({ reply: retried?.reply, replayed: true });
      expect(await stage.countOf('outbox')).toBe(1);
      expect(await stage.query('select text from note')).toEqual([retried?.reply]);
    },
  );

  it.each([
    ['outbox.after-claim', 1],
    ['outbox.after-deliver', 2],
    ['outbox.before-commit', 2],
    ['outbox.after-commit', 1],
  ])(
    'the events of a batch are delivered until they are acknowledged, each time under the same ids: %s',
    async (failpoint, deliveries) => {
      for (const key of ['k-1', 'k-2', 'k-3']) await stage.run(null, { key });
      expect(await stage.run(failpoint, { action: 'relay' })).toBeUndefined();
      await stage.run(null, { action: 'relay' });
      await stage.run(null, { action: 'relay' });
      const batches = stage
        .lines()
        .map((line) => (JSON.parse(line) as { events: { eventId: string }[] }).events.map(({ eventId }) => eventId));
      expect(batches).toHaveLength(deliveries);
      expect(new Set(batches[0]).size).toBe(3);
      for (const batch of batches) expect(batch).toEqual(batches[0]);
      expect(await stage.countOf('outbox')).toBe(0);
    },
  );
});
