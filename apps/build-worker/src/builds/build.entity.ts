import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

export type BuildState = 'queued' | 'building' | 'built' | 'failed' | 'cancelled';

/** One build of one commit. `built`, `failed` and `cancelled` are final. */
@Entity('build')
export class Build {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('bigint')
  deploymentId!: number;

  @Column('text')
  branchName!: string;

  @Column('text')
  commitHash!: string;

  @Column('text')
  treeHash!: string;

  @Column('text')
  status!: BuildState;

  @Column('text', { nullable: true })
  errorText!: string | null;

  /** Who builds it; counts only until the lease expires. */
  @Column('text', { nullable: true })
  workerId!: string | null;

  @Column('uuid', { nullable: true })
  claimId!: string | null;

  @Column('timestamptz', { nullable: true })
  leaseExpiresAt!: Date | null;

  @Column('integer', { default: 0 })
  attempts!: number;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  startedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  finishedAt!: Date | null;
}
