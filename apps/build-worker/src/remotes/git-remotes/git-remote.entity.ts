import { Column, Entity, PrimaryColumn } from 'typeorm';

export type RemoteKind = 'github' | 'ssh';

/** The remote repository of a deployment, or, before it is connected, the key pair that will open it. */
@Entity('git_remote')
export class GitRemote {
  @PrimaryColumn('bigint')
  deploymentId!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('text')
  kind!: RemoteKind;

  /** Null until it is connected for the first time. */
  @Column('text', { nullable: true })
  url!: string | null;

  /** Of the GitHub App, for `github`. */
  @Column('bigint', { nullable: true })
  installationId!: number | null;

  @Column('text', { nullable: true })
  publicKey!: string | null;

  @Column('text', { nullable: true })
  sealedPrivateKey!: string | null;

  /** SHA-256 in hex. */
  @Column('text', { nullable: true })
  webhookTokenHash!: string | null;

  /** Null while nothing is synchronised. */
  @Column('timestamptz', { nullable: true })
  connectedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  lastSyncedAt!: Date | null;

  /** What the newest synchronisation could not do; null when it did everything. */
  @Column('text', { nullable: true })
  lastError!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;
}

/** What a deployment is connected to. */
export type RemoteConnection = Pick<GitRemote, 'tenantId' | 'deploymentId' | 'kind' | 'installationId'> & {
  url: string;
};
