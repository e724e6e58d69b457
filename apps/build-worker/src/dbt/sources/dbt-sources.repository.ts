import { BaseRepository, type Transaction } from '@plinth/database';
import { DbtSource } from './dbt-source.entity';

type Saved = Pick<DbtSource, 'tenantId' | 'deploymentId' | 'url' | 'settings' | 'sealedToken'>;

export class DbtSourcesRepository extends BaseRepository {
  find(tx: Transaction, deploymentId: number): Promise<DbtSource | null> {
    return this.managerFor(tx).findOneBy(DbtSource, { deploymentId });
  }

  async save(tx: Transaction, { tenantId, deploymentId, url, settings, sealedToken }: Saved): Promise<void> {
    await this.managerFor(tx).query(
      `insert into dbt_source (tenant_id, deployment_id, url, settings, sealed_token) values ($1, $2, $3, $4, $5)
       on conflict (deployment_id) do update set url = excluded.url, settings = excluded.settings,
         sealed_token = excluded.sealed_token, updated_at = now()`,
      [tenantId, deploymentId, url, JSON.stringify(settings), sealedToken],
    );
  }

  async remove(tx: Transaction, deploymentId: number): Promise<void> {
    await this.managerFor(tx).delete(DbtSource, { deploymentId });
  }
}
