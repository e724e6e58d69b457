import { BaseRepository, type Transaction } from '@plinth/database';
import { itemColumns, type Item } from '../content';

/** What embed users own. */
export class EmbedContentRepository extends BaseRepository {
  /** Ids of the users of embed tenants with the name who own something. */
  async owners(tx: Transaction, embedTenantName: string): Promise<number[]> {
    const rows = await this.managerFor(tx).query<{ id: number }[]>(
      'select distinct embed_owner_id as id from item where tenant_id = $1 and embed_tenant_name = $2 order by 1',
      [tx.tenantId, embedTenantName],
    );
    return rows.map(({ id }) => id);
  }

  async deploymentsOf(tx: Transaction, embedTenantName: string, ownerIds: readonly number[]): Promise<number[]> {
    const rows = await this.managerFor(tx).query<{ id: number }[]>(
      `select distinct deployment_id as id from item
       where tenant_id = $1 and embed_tenant_name = $2 and embed_owner_id = any($3::bigint[]) order by 1`,
      [tx.tenantId, embedTenantName, ownerIds],
    );
    return rows.map(({ id }) => id);
  }

  /** What lies directly in something of these owners and is not theirs. */
  strangersIn(tx: Transaction, deploymentId: number, ownerIds: readonly number[]): Promise<Item[]> {
    return this.managerFor(tx).query<Item[]>(
      `select ${itemColumns} from item o join item i on i.parent_id = o.id
       where o.deployment_id = $1 and o.embed_owner_id = any($2::bigint[])
         and (i.embed_owner_id is null or i.embed_owner_id <> all($2::bigint[]))`,
      [deploymentId, ownerIds],
    );
  }

  async delete(tx: Transaction, deploymentId: number, ownerIds: readonly number[]): Promise<void> {
    await this.managerFor(tx).query(
      'delete from item where deployment_id = $1 and embed_owner_id = any($2::bigint[])',
      [deploymentId, ownerIds],
    );
  }
}
