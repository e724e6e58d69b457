import type { Schemas } from '@plinth/contract';
import type { DbtSyncLog } from './dbt-sync-log.entity';
import type { DbtSync, SyncStats } from './dbt-sync.entity';

/** How far a run is at the start of each stage, in per cent; a guess. */
const PERCENT: Readonly<Record<string, number>> = {
  INITIALIZING: 0,
  CREATING_SANDBOX: 10,
  RUNNING_DBT_DEPS: 25,
  COMPILING_DBT: 40,
  PROCESSING_MANIFEST: 65,
  WRITING_CUBE_FILES: 75,
  FINALIZING: 85,
  COMPLETED: 100,
};

const durationOf = ({ startedAt, finishedAt }: DbtSync): number | null =>
  finishedAt && Math.max(0, finishedAt.getTime() - startedAt.getTime());

export const toRun = (sync: DbtSync): Schemas['DbtSyncRun'] => ({
  syncJobId: sync.jobId,
  deploymentId: sync.deploymentId,
  status: sync.status,
  trigger: sync.trigger,
  triggerContext: sync.triggerContext,
  source: sync.source,
  gitRef: sync.gitRef,
  branchName: sync.branchName,
  userId: sync.userId,
  startedAt: sync.startedAt.toISOString(),
  completedAt: sync.finishedAt?.toISOString() ?? null,
  durationMs: durationOf(sync),
  lastStage: sync.stage,
  errorMessage: sync.status === 'FAILED' || sync.status === 'UNKNOWN' ? sync.errorText : null,
  failedPhase: sync.failedPhase,
  phases: sync.status === 'RUNNING' ? null : sync.phases,
  stats: sync.stats,
});

/** Clients wait for `COMPLETED` and `FAILED` alone, so whatever else ends a run is a failure to them. */
export function toStatus(sync: DbtSync): Schemas['DbtSyncStatusResponse'] {
  const over = sync.status !== 'RUNNING';
  const status = !over ? sync.stage : sync.status === 'COMPLETED' ? 'COMPLETED' : 'FAILED';
  return {
    syncJobId: sync.jobId,
    status,
    progress: {
      stage: status,
      percentComplete: PERCENT[sync.stage] ?? 0,
      message: over ? (sync.errorText ?? 'Done') : (sync.message ?? 'It waits for a worker'),
    },
    error: status === 'FAILED' ? (sync.errorText ?? 'The dbt sync has failed') : null,
    updatedAt: sync.updatedAt.toISOString(),
  };
}

const manifestStatsOf = (stats: SyncStats | null): Schemas['DbtSyncManifestStats'] => ({
  models: stats?.models ?? 0,
  sources: stats?.sources ?? 0,
  macros: stats?.macros ?? 0,
});

/** Undefined for what is not completed. */
export function toResult(sync: DbtSync): Schemas['DbtSyncResultResponse'] | undefined {
  const { status, result, stats, finishedAt } = sync;
  if (status !== 'COMPLETED' || !result || !finishedAt) return undefined;
  const { paths, measures, joins, ...details } = result;
  return {
    syncJobId: sync.jobId,
    generatedFiles: paths.map((path) => ({ path })),
    manifestStats: manifestStatsOf(stats),
    cubeCount: stats?.cubeCount ?? 0,
    measureCount: measures,
    joinCount: joins,
    completedAt: finishedAt.toISOString(),
    durationMs: durationOf(sync) ?? 0,
    ...details,
  };
}

export const toEntry = ({ writtenAt, ...line }: DbtSyncLog): Schemas['DbtSyncLogEntry'] => ({
  timestamp: writtenAt.toISOString(),
  level: line.level,
  stream: line.stream,
  phase: line.phase,
  message: line.message,
  durationMs: line.durationMs,
});
