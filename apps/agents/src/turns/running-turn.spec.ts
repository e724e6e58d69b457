import type { Database, Transaction } from '@plinth/database';
import { createLogger } from '@plinth/observability';
import type { UsageRepository } from '../provider';
import type { ThreadsRepository } from '../threads';
import { RunningTurn } from './running-turn';

const LEASE_MS = 20_000;

describe(RunningTurn.name, () => {
  let isOurs: boolean;
  let prolonged: number[];
  let turn: RunningTurn;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    [isOurs, prolonged] = [true, []];
    const threads = {
      add: async () => undefined,
      end: async () => undefined,
      prolong: async () => {
        prolonged.push(performance.now());
        return isOurs;
      },
    };
    const keeping = {
      database: {
        transaction: async (_tenantId: number, work: (tx: Transaction) => unknown) => work({} as Transaction),
      } as unknown as Database,
      threads: threads as unknown as ThreadsRepository,
      usage: { add: async () => undefined } as unknown as UsageRepository,
      logger: createLogger('test', 'silent'),
    };
    turn = new RunningTurn(keeping, 1, { threadId: 'thread', turnId: 'turn' }, 'user:1');
  });
  afterEach(async () => {
    await turn.close({ inputTokens: 0, outputTokens: 0 });
    jest.useRealTimers();
  });

  it('prolongs its lease long before that runs out, also when it has nothing to say', async () => {
    await jest.advanceTimersByTimeAsync(2 * LEASE_MS);
    const gaps = prolonged.map((at, index) => at - (prolonged[index - 1] ?? 0));
    expect(Math.max(...gaps.slice(1))).toBeLessThan(LEASE_MS / 2);
    expect(turn.signal.aborted).toBe(false);
  });

  it('ends within ten seconds when somebody has ended it or taken its thread, and no notice came', async () => {
    await jest.advanceTimersByTimeAsync(LEASE_MS);
    isOurs = false;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(turn.signal.aborted).toBe(true);
    expect(turn.isCalledOff).toBe(true);
  });
});
