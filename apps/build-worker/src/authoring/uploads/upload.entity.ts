import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A project on its way to a branch. Its files are in git's object store, where nothing refers to them yet. */
@Entity('upload')
export class Upload {
  @PrimaryColumn('text')
  id!: string;

  @Column('bigint')
  tenantId!: number;

  @Column('bigint')
  deploymentId!: number;

  @Column('bigint')
  branchId!: number;

  @Column('text')
  ownerCredentialId!: string;

  @Column('bigint', { nullable: true })
  ownerUserId!: number | null;

  /** Where the branch was at the start: what the client compared its files with. */
  @Column('text')
  baseCommit!: string;

  /** Folder that paths are relative to, with a slash at its end; empty for the root. */
  @Column('text')
  pathPrefix!: string;

  /** What the branch held after the end; null while the upload is open. */
  @Column('text', { nullable: true })
  finishedCommit!: string | null;

  @Column('timestamptz')
  expiresAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;
}
