import { BaseRepository, type Transaction } from '@plinth/database';
import { DeploymentVersionUse } from './deployment-version-use.entity';
import type { Release } from './version-catalogue';

export class VersionUsesRepository extends BaseRepository {
  async list(tx: Transaction): Promise<Release[]> {
    const uses = await this.managerFor(tx).find(DeploymentVersionUse);
    return uses.map(({ releaseChannel, version }) => ({ releaseChannel, version }));
  }

  /** Two statements, so that a known version is not locked by everybody who creates a deployment with it. */
  async record(tx: Transaction, tenantId: number, { releaseChannel, version }: Release): Promise<void> {
    const values = [tenantId, releaseChannel, version];
    await this.managerFor(tx).query(
      `insert into deployment_version_use (tenant_id, release_channel, version) values ($1, $2, $3)
       on conflict do nothing`,
      values,
    );
    await this.managerFor(tx).query(
      `update deployment_version_use set last_used_at = now()
       where tenant_id = $1 and release_channel = $2 and version = $3 and last_used_at < now() - interval '1 day'`,
      values,
    );
  }
}
