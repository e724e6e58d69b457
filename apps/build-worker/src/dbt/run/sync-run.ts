import type { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { failpoint } from '@plinth/observability';
import type { LogLine } from '../syncs/dbt-sync-log.entity';
import { MAX_LINES, type DbtSyncLogsRepository } from '../syncs/dbt-sync-logs.repository';
import type { SyncPhase, SyncStats } from '../syncs/dbt-sync.entity';
import type { ClaimedSync, DbtSyncsRepository } from '../syncs/dbt-syncs.repository';
import { SyncFailure } from '../syncs/sync-outcome';

/** The phases in their order, with the stage that clients see meanwhile. */
const PHASES = {
  'repo-clone': { stage: 'CREATING_SANDBOX', message: 'Reads the dbt repository' },
  'dbt-deps': { stage: 'RUNNING_DBT_DEPS', message: 'Installs the packages of the project' },
  'dbt-compile': { stage: 'COMPILING_DBT', message: 'dbt reads the project' },
  manifest: { stage: 'PROCESSING_MANIFEST', message: 'Makes cubes of the models' },
  write: { stage: 'WRITING_CUBE_FILES', message: 'Writes the files' },
  finalise: { stage: 'FINALIZING', message: 'Checks the data model' },
} as const;
export type Phase = keyof typeof PHASES;

/** Of one attempt, for what the platform says itself. */
const RESERVED_LINES = 100;

interface Repositories {
  database: Database;
  syncs: DbtSyncsRepository;
  logs: DbtSyncLogsRepository;
}

/** A phase has failed, with a message for people. */
export class PhaseFailure extends Error {
  override readonly name = 'PhaseFailure';

  constructor(
    readonly phase: Phase,
    message: string,
  ) {
    super(message);
  }
}

/** One attempt at a run: its phases, and what its history tells of them. */
export class SyncRun {
  stats: SyncStats | null = null;
  private readonly phases: SyncPhase[] = [];
  private readonly begunAt = performance.now();
  private current: Phase | null = null;
  private written = 0;

  constructor(
    readonly sync: ClaimedSync,
    readonly signal: AbortSignal,
    private readonly repositories: Repositories,
  ) {}

  /**
   * Does a phase, which ends early when the run is not this worker's any more.
   *
   * @throws PhaseFailure for what is wrong with the input; other errors as they are
   */
  async phase<T>(phase: Phase, work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    this.current = phase;
    await this.record(phase, []);
    failpoint(`dbt-sync.${phase}`);
    try {
      this.signal.throwIfAborted();
      const result = await work();
      this.signal.throwIfAborted();
      await this.end(phase, startedAt, 'ok', 'Done');
      return result;
    } catch (error) {
      if (this.signal.aborted) throw error;
      const message = messageOf(error);
      if (message === undefined) throw error;
      await this.end(phase, startedAt, 'failed', message);
      throw new PhaseFailure(phase, message);
    } finally {
      this.current = null;
    }
  }

  /** Notes what happens in the phase at hand. */
  async log(...lines: readonly (Pick<LogLine, 'level' | 'message'> & { stream?: LogLine['stream'] })[]): Promise<void> {
    const room = MAX_LINES - RESERVED_LINES - this.written;
    if (room <= 0) return;
    const shown = lines.slice(0, room).map((line): LogLine => ({
      stream: 'system',
      phase: this.current,
      durationMs: null,
      ...line,
    }));
    this.written += shown.length;
    if (this.written >= MAX_LINES - RESERVED_LINES) {
      const rest = { level: 'info', stream: 'system', phase: this.current, durationMs: null } as const;
      shown.push({ ...rest, message: 'Further lines are left out' });
    }
    const { database, logs } = this.repositories;
    await database.transaction(this.sync.tenantId, (tx) => logs.append(tx, this.sync, shown));
  }

  private async end(phase: Phase, startedAt: number, outcome: 'ok' | 'failed', message: string): Promise<void> {
    const durationMs = Math.round(performance.now() - startedAt);
    const startedOffsetMs = Math.round(this.sync.waitedMs + startedAt - this.begunAt);
    this.phases.push({ phase, startedOffsetMs, durationMs, outcome });
    const level = outcome === 'ok' ? 'info' : 'error';
    await this.record(phase, [{ level, stream: 'system', phase, message, durationMs }]);
  }

  private async record(phase: Phase, lines: readonly LogLine[]): Promise<void> {
    const { database, syncs, logs } = this.repositories;
    const { stage, message } = PHASES[phase];
    const held = await database.transaction(this.sync.tenantId, async (tx) => {
      const progress = { stage, message, phases: this.phases, stats: this.stats };
      if (!(await syncs.progress(tx, this.sync, progress))) return false;
      await logs.append(tx, this.sync, lines);
      return true;
    });
    if (!held) throw new Error('The run belongs to somebody else, or to nobody');
  }
}

/** What people are told; undefined for what says nothing about the input, and is tried again. */
function messageOf(error: unknown): string | undefined {
  if (error instanceof SyncFailure) return error.message;
  if (error instanceof AppError && !error.code.startsWith('service.')) return error.message;
  return undefined;
}
