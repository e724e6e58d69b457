import type { Schemas } from '@plinth/contract';
import { BaseRepository, type Transaction } from '@plinth/database';
import type { SourceSettings } from './dbt-source.entity';

/** What a webhook has told of a branch that is followed. */
export type PushContext = Schemas['DbtSyncRunTriggerContext'];

/** The newest push of a deployment that no run has begun for. */
export interface WaitingPush {
  deploymentId: number;
  tenantId: number;
  push: PushContext;
  settings: SourceSettings;
}

/** Of one look. */
const AT_ONCE = 20;

/** Pushes that webhooks tell of. */
export class DbtPushesRepository extends BaseRepository {
  /** Whether the delivery is new. A repeat that comes meanwhile waits until it is known. */
  async insertDelivery(tx: Transaction, tenantId: number, deploymentId: number, digest: string): Promise<boolean> {
    const rows = (await this.managerFor(tx).query(
      `insert into dbt_delivery (tenant_id, deployment_id, digest) values ($1, $2, $3)
       on conflict do nothing returning digest`,
      [tenantId, deploymentId, digest],
    )) as unknown[];
    return rows.length === 1;
  }

  /** In place of one that waits. */
  async keep(tx: Transaction, deploymentId: number, push: PushContext): Promise<void> {
    const sql = 'update dbt_source set waiting_push = $2 where deployment_id = $1';
    await this.managerFor(tx).query(sql, [deploymentId, JSON.stringify(push)]);
  }

  /** Pushes of deployments that have no run. Nobody else sees them until the transaction ends. */
  waiting(tx: Transaction): Promise<WaitingPush[]> {
    return this.managerFor(tx).query(
      `select deployment_id as "deploymentId", tenant_id as "tenantId", waiting_push as push, settings
       from dbt_source source
       where waiting_push is not null and not exists (
         select from dbt_sync where dbt_sync.deployment_id = source.deployment_id and status = 'RUNNING')
       order by deployment_id limit $1 for update of source skip locked`,
      [AT_ONCE],
    );
  }

  async done(tx: Transaction, deploymentId: number): Promise<void> {
    await this.managerFor(tx).query('update dbt_source set waiting_push = null where deployment_id = $1', [
      deploymentId,
    ]);
  }

  async saveSecret(tx: Transaction, deploymentId: number, sealedSecret: string): Promise<void> {
    const sql = 'update dbt_source set sealed_webhook_secret = $2 where deployment_id = $1';
    await this.managerFor(tx).query(sql, [deploymentId, sealedSecret]);
  }
}
