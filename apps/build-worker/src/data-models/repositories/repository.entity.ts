import type { Schemas } from '@plinth/contract';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The git repository of a deployment, with the settings that decide how its data model is kept and built. */
@Entity('repository')
export class Repository {
  @PrimaryColumn('bigint')
  deploymentId!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('text')
  deployMode!: Schemas['DeployMode'];

  @Column('text')
  deployBranchName!: string;

  @Column('boolean')
  deployBranchReadOnly!: boolean;

  @Column('boolean')
  deployBranchMergeAllowed!: boolean;

  /** Folder of the project, relative and without slashes at its ends; empty for the root. */
  @Column('text')
  deployProjectRoot!: string;

  /** What the branch of the last upload held after it; null before the first. */
  @Column('text', { nullable: true })
  lastUploadCommit!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  provisionedAt!: Date;
}
