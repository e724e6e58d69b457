import type { Schemas } from '@plinth/contract';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An installation of the GitHub App that a tenant may use. */
@Entity()
export class GithubInstallation {
  @PrimaryColumn('bigint')
  tenantId!: number;

  @PrimaryColumn('bigint')
  installationId!: number;

  @Column('text')
  login!: string;

  @Column('text')
  accountType!: 'Organization' | 'User';

  @Column('text')
  avatarUrl!: string;

  @Column('timestamptz', { nullable: true })
  suspendedAt!: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  linkedAt!: Date;
}

export const toContractInstallation = (row: GithubInstallation): Schemas['GitHubInstallationResponse'] => ({
  installationId: String(row.installationId),
  id: String(row.installationId),
  login: row.login,
  accountLogin: row.login,
  accountType: row.accountType,
  avatarUrl: row.avatarUrl,
});
