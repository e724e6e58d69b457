import { systemPrincipal } from '@plinth/auth';
import { managerFor } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { runInContext, type RequestContext } from '@plinth/observability';
import { createTestDatabase, type ServiceDatabase } from '@plinth/testing';
import { Client } from 'pg';
import { GitJournal, type JournalHandlers, type PlannedWrite } from './git-journal';

/** Stands in for a repository with one branch: its commits, oldest first, and moves by compare-and-swap. */
class Branch {
  readonly commits: string[] = ['c0'];

  get head(): string {
    return this.commits.at(-1)!;
  }

  move(oldId: string, newId: string): void {
    if (this.head !== oldId) throw new AppError('branch.moved', 'moved');
    this.commits.push(newId);
  }
}

/** What a restart of the server does to those who are connected; resolves when none is. */
async function endOtherConnections(url: string): Promise<void> {
  const owner = new Client({ connectionString: url });
  await owner.connect();
  const others = 'from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()';
  do await owner.query(`select pg_terminate_backend(pid) ${others}`);
  while ((await owner.query(`select ${others}`)).rowCount);
  await owner.end();
}

describe(GitJournal.name, () => {
  let server: ServiceDatabase;
  let branch: Branch;
  let journal: GitJournal<null>;
  let handlers: JournalHandlers<null>;
  let settled: string[];
  let commit = 0;

  beforeEach(async () => {
    server = await createTestDatabase({
      service: 'build-worker',
      entities: [],
      migrations: { preDeploy: [], postDeploy: [] },
    });
    branch = new Branch();
    settled = [];
    handlers = {
      isApplied: ({ refs }) => Promise.resolve(refs.every(({ newId }) => branch.commits.includes(newId))),
      settle: (_tx, { refs }) => Promise.resolve(void settled.push(refs[0]!.newId)),
    };
    journal = new GitJournal(server.database, handlers);
  });

  afterEach(() => server.drop());

  const plan = (applyRefs?: (oldId: string, newId: string) => void): PlannedWrite<{ commit: string }, null> => {
    const [oldId, newId] = [branch.head, `c${(commit += 1)}`];
    return {
      deploymentId: 7,
      refs: [{ name: 'refs/heads/main', oldId, newId }],
      details: null,
      reply: { commit: newId },
      applyRefs: async () => (applyRefs ?? branch.move.bind(branch))(oldId, newId),
    };
  };
  const write = (prepare: () => Promise<PlannedWrite<{ commit: string }, null>>, key: string | null = 'k-1') => {
    const context: RequestContext = {
      requestId: 'r-1',
      ...(key !== null && { idempotency: { operationId: 'write', key, fingerprint: 'f-1' } }),
      audit: { event: 'file.written', attributes: {}, deploymentId: 7 },
    };
    return runInContext(context, async () => {
      const { commit: reply } = await journal.run(systemPrincipal(1), prepare);
      return { reply, replayed: context.replayed ?? false };
    });
  };
  const countOf = async (table: string): Promise<number> =>
    (await server.database.readAsSystem<{ n: number }>({ name: table, text: `select count(*) as n from ${table}` }))[0]!
      .n;

  /** An intent whose writer died before git had moved anything. */
  const abandoned = async (): Promise<PlannedWrite<{ commit: string }, null>> => {
    const lost = plan();
    await write(() => Promise.resolve({ ...lost, applyRefs: () => Promise.reject(new Error('lost')) }), null).catch(
      () => undefined,
    );
    const { lockId } = await capturedLock();
    await server.database.transaction(1, (tx) =>
      managerFor(tx).query(
        `insert into intent (id, tenant_id, deployment_id, refs, details, events, credential_id, key, fingerprint, reply, lock_id)
         values (gen_random_uuid(), 1, 7, $1, 'null', '[]', 'system', 'write k-1', 'f-1', $2, $3)`,
        [JSON.stringify(lost.refs), server.secrets.seal(JSON.stringify({ reply: lost.reply }), 'reply:1'), lockId],
      ),
    );
    return lost;
  };

  /** The lock that a write with the key `k-1` takes, read from the intent that such a write makes. */
  async function capturedLock(): Promise<{ lockId: string }> {
    let lockId = '';
    const spying = plan();
    const spied: PlannedWrite<{ commit: string }, null> = {
      ...spying,
      applyRefs: async () => {
        const rows = await server.database.readAsSystem<{ lock_id: string }>({
          name: 'lock',
          text: "select lock_id from intent where key = 'write k-1'",
        });
        lockId = rows[0]!.lock_id;
        throw new Error('only looking');
      },
    };
    await write(() => Promise.resolve(spied)).catch(() => undefined);
    return { lockId };
  }

  it('leaves nothing when preparing fails, or the reference has moved', async () => {
    await expect(write(() => Promise.reject(new AppError('file.exists', 'x')))).rejects.toMatchObject({
      code: 'file.exists',
    });
    const outdated = plan();
    branch.move('c0', 'foreign');
    await expect(write(() => Promise.resolve(outdated))).rejects.toMatchObject({ code: 'branch.moved' });
    expect([await countOf('intent'), await countOf('outbox'), await countOf('idempotency_record')]).toEqual([0, 0, 0]);
    expect(settled).toEqual([]);
  });

  it('counts a write whose references moved although moving them reported an error', async () => {
    const result = await write(() =>
      Promise.resolve(
        plan((oldId, newId) => {
          branch.move(oldId, newId);
          throw new Error('git was killed after its work');
        }),
      ),
    );
    expect(result.reply).toBe(branch.head);
    expect([settled.length, await countOf('outbox'), await countOf('intent')]).toEqual([1, 1, 0]);
  });

  it('has one effect when the same request comes many times at once', async () => {
    const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => write(() => Promise.resolve(plan()))));
    for (const attempt of attempts) {
      if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject({ code: 'idempotency.in_progress' });
    }
    expect(branch.commits).toHaveLength(2);
    expect(await write(() => Promise.resolve(plan()))).toEqual({ reply: branch.head, replayed: true });
    expect([settled.length, await countOf('outbox')]).toEqual([1, 1]);
  });

  it('works without a key, each request an effect of its own', async () => {
    await write(() => Promise.resolve(plan()), null);
    await write(() => Promise.resolve(plan()), null);
    expect(branch.commits).toHaveLength(3);
    expect([await countOf('outbox'), await countOf('intent'), await countOf('idempotency_record')]).toEqual([2, 0, 0]);
  });

  it('answers unavailable when its connection breaks while the references move, and the repeat gets the reply', async () => {
    const cut = async (): Promise<PlannedWrite<{ commit: string }, null>> => {
      const running = plan();
      return { ...running, applyRefs: () => running.applyRefs().then(() => endOtherConnections(server.url)) };
    };
    await expect(write(cut)).rejects.toMatchObject({ code: 'service.unavailable' });
    expect(await write(cut)).toEqual({ reply: branch.head, replayed: true });
    expect(branch.commits).toHaveLength(2);
    expect([settled, await countOf('intent'), await countOf('outbox')]).toEqual([[branch.head], 0, 1]);
  });

  it('does not take a running write for an abandoned one', async () => {
    await write(async () => {
      const running = plan();
      return {
        ...running,
        applyRefs: async () => {
          await server.database.asSystem((tx) =>
            managerFor(tx).query("update intent set created_at = now() - interval '1 hour'"),
          );
          await journal.recover();
          expect(await countOf('intent')).toBe(1);
          await running.applyRefs();
        },
      };
    });
    expect(settled).toEqual([branch.head]);
  });

  describe('when the git process of a dead writer finishes late', () => {
    it.each(['before the repeat prepares', 'while it prepares', 'after it prepared'])(
      'there is one effect and the reply of that effect: %s',
      async (moment) => {
        const lost = await abandoned();
        const straggle = (): void => void lost.applyRefs();
        if (moment === 'before the repeat prepares') straggle();
        const result = await write(async () => {
          if (moment === 'while it prepares') straggle();
          const own = plan();
          if (moment === 'after it prepared') straggle();
          return own;
        });
        expect(result).toEqual({ reply: lost.reply.commit, replayed: true });
        expect(branch.commits).toEqual(['c0', lost.reply.commit]);
        expect([settled, await countOf('intent')]).toEqual([[lost.reply.commit], 0]);
      },
    );

    it('there is one effect and the reply of that effect: between the last look and the move of the repeat', async () => {
      const lost = await abandoned();
      const result = await write(() =>
        Promise.resolve(
          plan((oldId, newId) => {
            void lost.applyRefs();
            branch.move(oldId, newId);
          }),
        ),
      );
      expect(result).toEqual({ reply: lost.reply.commit, replayed: true });
      expect(branch.commits).toEqual(['c0', lost.reply.commit]);
      expect([settled, await countOf('intent')]).toEqual([[lost.reply.commit], 0]);
    });

    it('there is one effect when it never does', async () => {
      const lost = await abandoned();
      const result = await write(() => Promise.resolve(plan()));
      expect(result).toEqual({ reply: branch.head, replayed: false });
      await expect(lost.applyRefs()).rejects.toMatchObject({ code: 'branch.moved' });
      expect(await countOf('intent')).toBe(0);
    });
  });
});
