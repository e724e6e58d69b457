import { setMaxListeners } from 'node:events';
import type { Database } from '@plinth/database';
import { WakeableLoop } from '@plinth/tasks';
import type { Logger } from '@plinth/observability';
import type { Tokens, UsageRepository } from '../provider';
import type { ThreadsRepository, Turn } from '../threads';
import { TurnEnd } from './turn-end';
import { TurnRecord } from './turn-record';

/** How often complete messages are kept, in milliseconds; others join by them. */
const KEEP_MS = 2_000;
/** How often the lease is prolonged while nothing is complete: well within its 20 seconds. */
const PROLONG_MS = 6_000;

export interface TurnKeeping {
  database: Database;
  threads: ThreadsRepository;
  usage: UsageRepository;
  logger: Logger;
}

/** A turn that this process gives: its record, what of it is kept already, and the way to end it. */
export class RunningTurn {
  readonly record = new TurnRecord();
  private readonly ending = new AbortController();
  private readonly loop: WakeableLoop;
  private kept = 0;
  private prolongedAt = performance.now();

  /** @param identity of whoever asks, who pays with their budget. */
  constructor(
    private readonly keeping: TurnKeeping,
    private readonly tenantId: number,
    private readonly turn: Turn,
    private readonly identity: string,
  ) {
    setMaxListeners(0, this.ending.signal);
    this.loop = new WakeableLoop(() => this.keep(), {
      name: 'keep what an agent says',
      everyMs: KEEP_MS,
      logger: keeping.logger,
    });
    this.loop.start();
  }

  get signal(): AbortSignal {
    return this.ending.signal;
  }

  /** Whether somebody wants no answer any more. */
  get isCalledOff(): boolean {
    const { reason } = this.signal as { reason: unknown };
    return reason instanceof TurnEnd && reason.sentence === undefined;
  }

  end(why: TurnEnd): void {
    this.ending.abort(why);
  }

  /** Keeps the rest, and makes room for the next question; only then readers see the end. */
  async close(used: Tokens): Promise<void> {
    await this.loop.stop();
    const { database, threads, usage } = this.keeping;
    try {
      await database.transaction(this.tenantId, async (tx) => {
        await threads.add(tx, this.tenantId, this.turn, this.record.completeAfter(this.kept));
        await threads.end(tx, this.turn);
        await usage.add(tx, this.tenantId, this.identity, used);
      });
    } finally {
      this.record.end();
    }
  }

  private async keep(): Promise<void> {
    const lines = this.record.completeAfter(this.kept);
    if (lines.length === 0 && performance.now() - this.prolongedAt < PROLONG_MS) return;
    const { database, threads } = this.keeping;
    const goesOn = await database.transaction(this.tenantId, async (tx) => {
      await threads.add(tx, this.tenantId, this.turn, lines);
      return threads.prolong(tx, this.turn);
    });
    this.kept += lines.length;
    this.prolongedAt = performance.now();
    if (!goesOn) this.end(new TurnEnd('aborted'));
  }
}
