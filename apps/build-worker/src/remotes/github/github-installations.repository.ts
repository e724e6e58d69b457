import { BaseRepository, type Transaction } from '@plinth/database';
import { In, IsNull, MoreThan } from 'typeorm';
import { GithubInstallation } from './github-installation.entity';

export type NewInstallation = Omit<GithubInstallation, 'suspendedAt' | 'linkedAt'>;

export class GithubInstallationsRepository extends BaseRepository {
  find(tx: Transaction, installationId: number): Promise<GithubInstallation | null> {
    return this.managerFor(tx).findOneBy(GithubInstallation, { installationId });
  }

  findAll(tx: Transaction, installationIds: readonly number[]): Promise<GithubInstallation[]> {
    const where = { installationId: In([...installationIds]) };
    return this.managerFor(tx).find(GithubInstallation, { where, order: { installationId: 'asc' } });
  }

  /** Those that work, oldest at GitHub first. */
  list(tx: Transaction, limit: number, afterId = 0): Promise<GithubInstallation[]> {
    const where = { installationId: MoreThan(afterId), suspendedAt: IsNull() };
    return this.managerFor(tx).find(GithubInstallation, { where, order: { installationId: 'asc' }, take: limit });
  }

  /** Links them, or brings them up to date. */
  async save(tx: Transaction, installations: readonly NewInstallation[]): Promise<void> {
    await this.managerFor(tx).upsert(
      GithubInstallation,
      installations.map((each) => ({ ...each, suspendedAt: null })),
      ['tenantId', 'installationId'],
    );
  }

  /** For every tenant. */
  async setSuspended(tx: Transaction, installationId: number, suspendedAt: Date | null): Promise<void> {
    await this.managerFor(tx).update(GithubInstallation, { installationId }, { suspendedAt });
  }

  /** For every tenant. */
  async remove(tx: Transaction, installationId: number): Promise<void> {
    await this.managerFor(tx).delete(GithubInstallation, { installationId });
  }

  /** Whether the link request has not led to a link before; from now on it has. */
  async useRequest(tx: Transaction, tenantId: number, requestId: string): Promise<boolean> {
    const rows = (await this.managerFor(tx).query(
      'insert into github_link_use (request_id, tenant_id) values ($1, $2) on conflict do nothing returning request_id',
      [requestId, tenantId],
    )) as unknown[];
    return rows.length === 1;
  }
}
