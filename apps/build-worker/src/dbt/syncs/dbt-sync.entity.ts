import type { Schemas } from '@plinth/contract';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** `COMPLETED`, `FAILED`, `CANCELLED` and `UNKNOWN` are final. */
export type SyncStatus = Schemas['DbtSyncRunsQueryStatus'];
export type SyncTrigger = Schemas['DbtSyncRunsQueryTrigger'];
export type SyncPhase = Schemas['DbtSyncRunPhase'];
export type SyncStats = Required<Schemas['DbtSyncRunStats']>;

/** What a run that was completed tells beside its figures. */
export type SyncDetails = Pick<Schemas['DbtSyncResultResponse'], 'skipped' | 'warnings' | 'difference'> & {
  paths: string[];
  measures: number;
  joins: number;
};

/** One run of a dbt sync. It is a task of the build workers while it is `RUNNING`. */
@Entity('dbt_sync')
export class DbtSync {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** Its name for clients. */
  @Column('uuid', { default: () => 'gen_random_uuid()' })
  jobId!: string;

  @Column('bigint')
  tenantId!: number;

  @Column('bigint')
  deploymentId!: number;

  @Column('text', { default: 'RUNNING' })
  status!: SyncStatus;

  @Column('text')
  trigger!: SyncTrigger;

  @Column('jsonb', { nullable: true })
  triggerContext!: Schemas['DbtSyncRunTriggerContext'] | null;

  @Column('text')
  source!: Schemas['StartDbtSyncInputSource'];

  @Column('text')
  output!: Schemas['StartDbtSyncInputOutput'];

  @Column('text', { nullable: true })
  gitRef!: string | null;

  @Column('text')
  branchName!: string;

  @Column('bigint', { nullable: true })
  userId!: number | null;

  @Column('text')
  authorName!: string;

  @Column('text')
  authorEmail!: string;

  @Column('text', { nullable: true })
  manifestOid!: string | null;

  @Column('text', { nullable: true })
  commitHash!: string | null;

  @Column('text', { default: 'INITIALIZING' })
  stage!: string;

  @Column('text', { nullable: true })
  message!: string | null;

  @Column('jsonb', { default: [] })
  phases!: SyncPhase[];

  @Column('jsonb', { nullable: true })
  stats!: SyncStats | null;

  @Column('jsonb', { nullable: true })
  result!: SyncDetails | null;

  @Column('text', { nullable: true })
  errorText!: string | null;

  @Column('text', { nullable: true })
  failedPhase!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  startedAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;

  @Column('timestamptz', { nullable: true })
  finishedAt!: Date | null;

  @Column('integer', { default: 0 })
  attempts!: number;

  @Column('uuid', { nullable: true })
  claimId!: string | null;

  @Column('timestamptz', { nullable: true })
  leaseExpiresAt!: Date | null;
}
