import type { Schemas } from '@plinth/contract';
import { BaseRepository, type Transaction } from '@plinth/database';
import { itemColumns, type Item } from '../content';

type Audience = Schemas['EmbedAudience'];

/** With whom something is shared: an embed tenant, or all embed users when its id is null. */
export type Share = Audience;

/** Why an embed tenant sees a workbook. */
export type ShareSource = Schemas['EmbedAccessSource'];

/** What is shared with embed users, for reading. */
export class EmbedSharesRepository extends BaseRepository {
  /** All embed users first, then embed tenants by their names. */
  list(tx: Transaction, itemId: number): Promise<Share[]> {
    return this.managerFor(tx).query<Share[]>(
      `select embed_tenant_id as "embedTenantId", embed_tenant_name as "embedTenantName", group_id as "groupId"
       from embed_share where item_id = $1 order by embed_tenant_name nulls first`,
      [itemId],
    );
  }

  /** Sharing again changes nothing. */
  async grant(tx: Transaction, item: Item, audience: Audience, by: number | null): Promise<void> {
    const { embedTenantId, embedTenantName, groupId } = audience;
    await this.managerFor(tx).query(
      `insert into embed_share (tenant_id, deployment_id, item_id, embed_tenant_id, embed_tenant_name, group_id, created_by)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (item_id, embed_tenant_id) do nothing`,
      [item.tenantId, item.deploymentId, item.id, embedTenantId, embedTenantName, groupId, by],
    );
  }

  async revoke(tx: Transaction, itemId: number, { embedTenantId }: Audience): Promise<void> {
    await this.managerFor(tx).query(
      'delete from embed_share where item_id = $1 and embed_tenant_id is not distinct from $2',
      [itemId, embedTenantId],
    );
  }

  /** Of an embed tenant that is gone. */
  async revokeAll(tx: Transaction, embedTenantId: number): Promise<void> {
    await this.managerFor(tx).query('delete from embed_share where embed_tenant_id = $1', [embedTenantId]);
  }

  /** Workbooks that an embed tenant sees for the reason, or for any; those after `afterId` when it is given. */
  async workbooks(
    tx: Transaction,
    {
      deploymentId,
      embedTenantName,
      source,
    }: { deploymentId: number; embedTenantName: string; source: ShareSource | undefined },
    limit: number,
    afterId?: number,
  ): Promise<Item[]> {
    const wanted = source ? bySource[source] : Object.values(bySource).join(' or ');
    return this.managerFor(tx).query<Item[]>(
      `with shared as (
         select item_id, embed_tenant_name from embed_share
         where deployment_id = $1 and (embed_tenant_name = $2 or embed_tenant_name is null)
       )
       select ${itemColumns} from item i
       where i.deployment_id = $1 and i.type = 'WORKBOOK' and i.id > $3 and (${wanted}) order by i.id limit $4`,
      [deploymentId, embedTenantName, afterId ?? 0, limit],
    );
  }
}

const bySource: Readonly<Record<ShareSource, string>> = {
  tenant: 'i.id = any(array(select item_id from shared where embed_tenant_name is not null))',
  allEmbedUsers: 'i.id = any(array(select item_id from shared where embed_tenant_name is null))',
  folder: 'i.path && array(select item_id from shared)',
};
