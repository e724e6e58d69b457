import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A line of the log of a run. */
@Entity('dbt_sync_log')
export class DbtSyncLog {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  syncId!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('text')
  level!: 'info' | 'error';

  @Column('text')
  stream!: 'system' | 'stdout';

  @Column('text', { nullable: true })
  phase!: string | null;

  @Column('text')
  message!: string;

  @Column('bigint', { nullable: true })
  durationMs!: number | null;

  @Column('timestamptz', { default: () => 'now()' })
  writtenAt!: Date;
}

export type LogLine = Pick<DbtSyncLog, 'level' | 'stream' | 'phase' | 'message' | 'durationMs'>;
