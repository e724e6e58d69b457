import { AppError } from '@plinth/errors';
import { createLogger } from '@plinth/observability';
import { Registry } from 'prom-client';
import { deadlineMs } from '@plinth/testing';
import type { RepositoriesService } from '../data-models';
import type { DataModelCompiler } from '../compilation';
import type { BuildMetrics } from './build-metrics';
import type { BuildQueue } from './build-queue';
import { BuildRunner } from './build-runner';
import type { BuildOutcome, ClaimedBuild } from './builds.repository';

const build: ClaimedBuild = {
  id: 1,
  tenantId: 1,
  deploymentId: 7,
  branchName: 'main',
  commitHash: 'c1',
  claimId: 'a',
  attempts: 1,
};

/** Fails the first times as everything does while the database is away. */
function away<T>(times: number, answer: T): () => Promise<T> {
  let left = times;
  return async () => {
    if (left-- > 0) throw new AppError('service.unavailable', 'The database cannot be reached');
    return answer;
  };
}

describe(BuildRunner.name, () => {
  const runners: BuildRunner[] = [];

  afterEach(() => Promise.all(runners.splice(0).map((runner) => runner.beforeApplicationShutdown())));

  it(
    'concludes a build on its first attempt though the database was away at the start and at the end of it',
    async () => {
      const queued = [build];
      const finish = away(2, true);
      const concluded = new Promise<BuildOutcome>((resolve) => {
        const queue: Partial<BuildQueue> = {
          claim: async () => queued.shift(),
          leaseMs: 10_000,
          nextDueMs: async () => undefined,
          renew: async () => true,
          onAnnounced: () => () => undefined,
          finish: (_claim, outcome) => finish().then((held) => (resolve(outcome), held)),
        };
        const model = away(1, {});
        const runner = new BuildRunner(
          queue as BuildQueue,
          { openExisting: model } as unknown as RepositoriesService,
          { compile: async () => ({ valid: true, errors: [] }) } as unknown as DataModelCompiler,
          { claimed: () => undefined, released: () => undefined, finished: () => undefined } as unknown as BuildMetrics,
          { compilerPoolSize: 1 },
          createLogger('build-worker', 'fatal'),
          new Registry(),
        );
        runner.onApplicationBootstrap();
        runners.push(runner);
      });
      expect(await concluded).toEqual({ status: 'built', errorText: null });
    },
    deadlineMs(30_000),
  );

  it('leaves a place for other tenants: none takes the last one that has another', async () => {
    const queued = [build, { ...build, id: 2, deploymentId: 8 }, { ...build, id: 3, tenantId: 2, deploymentId: 9 }];
    const taken: number[] = [];
    let end: (result: object) => void = () => undefined;
    const compiling = new Promise((resolve) => (end = resolve));
    await new Promise<void>((full) => {
      const queue: Partial<BuildQueue> = {
        claim: async (except = []) => {
          const next = queued.findIndex(({ tenantId }) => !except.includes(tenantId));
          const [claimed] = next < 0 ? [] : queued.splice(next, 1);
          if (claimed) taken.push(claimed.id);
          if (taken.length === 2) full();
          return claimed;
        },
        leaseMs: 10_000,
        nextDueMs: async () => undefined,
        renew: async () => true,
        finish: async () => true,
        onAnnounced: () => () => undefined,
      };
      const runner = new BuildRunner(
        queue as BuildQueue,
        { openExisting: async () => ({}) } as unknown as RepositoriesService,
        { compile: () => compiling } as unknown as DataModelCompiler,
        { claimed: () => undefined, released: () => undefined, finished: () => undefined } as unknown as BuildMetrics,
        { compilerPoolSize: 2 },
        createLogger('build-worker', 'fatal'),
        new Registry(),
      );
      runner.onApplicationBootstrap();
      runners.push(runner);
    });
    expect(taken).toEqual([1, 3]);
    end({ valid: true, errors: [] });
  });
});
