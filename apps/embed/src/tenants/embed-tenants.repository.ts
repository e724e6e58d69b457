import { BaseRepository, containing, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import type { EmbedTenant } from './embed-tenant.entity';

/** An embed tenant with its number of users. */
export type CountedTenant = EmbedTenant & { userCount: number };

const ATTEMPTS = 5;

export class EmbedTenantsRepository extends BaseRepository {
  /** The id of the embed tenant. */
  find(tx: Transaction, name: string): Promise<number | undefined> {
    return this.idOf(tx, name, '');
  }

  /** As {@link find}, and it cannot be deleted before the transaction ends. */
  hold(tx: Transaction, name: string): Promise<number | undefined> {
    return this.idOf(tx, name, 'for key share');
  }

  /** As {@link hold}; makes the embed tenant and its built-in groups where it is not there. */
  async ensure(tx: Transaction, tenantId: number, name: string): Promise<number> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const id = (await this.hold(tx, name)) ?? (await this.insert(tx, tenantId, name));
      if (id !== undefined) return id;
    }
    throw new AppError('service.collision', 'The embed tenant was made and deleted meanwhile', {
      retryAfterSeconds: 1,
    });
  }

  /** By their names, those after `afterName` when it is given. */
  list(tx: Transaction, search: string | undefined, limit: number, afterName?: string): Promise<CountedTenant[]> {
    return this.managerFor(tx).query<CountedTenant[]>(
      `select t.id, t.tenant_id as "tenantId", t.name, t.display_name as "displayName", t.created_at as "createdAt",
         (select count(*)::int from embed_user u where u.embed_tenant_id = t.id) as "userCount"
       from embed_tenant t
       where t.tenant_id = $1 and t.name <> '' and ($2::text is null or t.name like lower($2)) and ($3::text is null or t.name > $3)
       order by t.name limit $4`,
      [tx.tenantId, containing(search), afterName ?? null, limit],
    );
  }

  /** With everything that belongs to it. Its id; undefined when it was not there. */
  async delete(tx: Transaction, name: string): Promise<number | undefined> {
    const [rows] = (await this.managerFor(tx).query('delete from embed_tenant where name = $1 returning id', [
      name,
    ])) as [{ id: number }[]];
    return rows[0]?.id;
  }

  /** A name that is the same already is not written again. */
  async setDisplayName(tx: Transaction, id: number, displayName: string): Promise<void> {
    await this.managerFor(tx).query(
      'update embed_tenant set display_name = $2 where id = $1 and display_name is distinct from $2',
      [id, displayName],
    );
  }

  private async idOf(tx: Transaction, name: string, lock: '' | 'for key share'): Promise<number | undefined> {
    const statement = {
      name: `embed-tenant ${lock}`,
      text: `select id from embed_tenant where tenant_id = $1 and name = $2 ${lock}`,
    };
    const [row] = await this.prepared<{ id: number }>(tx, statement, [tx.tenantId, name]);
    return row?.id;
  }

  /** Undefined when somebody else has made it meanwhile. */
  private async insert(tx: Transaction, tenantId: number, name: string): Promise<number | undefined> {
    const manager = this.managerFor(tx);
    const [row] = await manager.query<{ id: number }[]>(
      'insert into embed_tenant (tenant_id, name) values ($1, $2) on conflict (tenant_id, name) do nothing returning id',
      [tenantId, name],
    );
    if (!row) return undefined;
    await manager.query(
      `insert into embed_group (tenant_id, embed_tenant_id, kind, name)
       select $1::bigint, $2::bigint, 'tenant', $3::text where $5::text <> ''
       union all select $1, null, 'everyone', $4
       on conflict (tenant_id) where kind = 'everyone' do nothing`,
      [tenantId, row.id, groupOfTenant(name), EVERYONE, name],
    );
    return row.id;
  }
}

/**
 * Name of the place of embed users who belong to no embed tenant. No request can name it, no list shows it, and there is no
 * group of everybody in it: they share nothing.
 */
export const NO_EMBED_TENANT = '';

/** Name of the group of all embed users of an account, in security contexts. */
export const EVERYONE = 'all_embed_users';

/** Name of the group of all users of an embed tenant, in security contexts. */
export const groupOfTenant = (name: string): string => `system:tenant:${name}`;

export const embedTenantNotFound = (): AppError =>
  new AppError('embed_tenant.not_found', 'There is no such embed tenant');

/** The name as it is kept. */
export const canonicalName = (name: string): string => name.toLowerCase();
