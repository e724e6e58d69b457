import type { Schemas } from '@plinth/contract';
import { Column, Entity, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';

/** `deploy` is what production is built from, `shared` is everybody's, `dev` is one person's. */
export type BranchKind = 'deploy' | 'shared' | 'dev';

/** A branch of a data model. That it exists is known here; where it points and what it holds, git knows. */
@Entity('branch')
export class Branch {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('bigint')
  deploymentId!: number;

  @Column('text')
  name!: string;

  @Column('text')
  kind!: BranchKind;

  /** The deploy branch or a shared one; null for the deploy branch alone. */
  @Column('bigint', { nullable: true })
  parentId!: number | null;

  @ManyToOne(() => Branch)
  @JoinColumn({ name: 'parent_id' })
  parent?: Branch | null;

  /** Where the branch began; a reference that is missing is made again there. */
  @Column('text')
  startCommit!: string;

  @Column('text', { nullable: true })
  ownerCredentialId!: string | null;

  @Column('bigint', { nullable: true })
  ownerUserId!: number | null;

  @Column('text', { nullable: true })
  ownerEmail!: string | null;

  @Column('boolean', { default: false })
  isStagingEnvironmentEnabled!: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;
}

/** The branch as the contract shows it; it must have been read with its parent. */
export const toContractBranch = (branch: Branch, lastHash: string): Schemas['Branch'] => ({
  id: branch.id,
  name: branch.name,
  parentBranch: branch.parent?.name ?? null,
  lastHash,
  isStagingEnvironmentEnabled: branch.isStagingEnvironmentEnabled,
});
