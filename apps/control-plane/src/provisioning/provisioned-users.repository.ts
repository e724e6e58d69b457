import { BaseRepository, type Transaction } from '@plinth/database';
import type { AttributePath, Filter } from '@plinth/scim-protocol';
import { In } from 'typeorm';
import { User } from '../users/user.entity';
import { conditionOf, Values } from './filter-sql';
import { columnOfUser, orderOf } from './provisioned-columns';
import type { Profile, ProfiledUser } from './provisioned-profile';

/** Which resources are meant, by position in a stable order. */
export interface Selection {
  filter?: Filter | undefined;
  offset: number;
  limit: number;
  sortBy?: AttributePath | undefined;
  descending?: boolean | undefined;
}

export interface Selected {
  total: number;
  ids: number[];
}

/** The other end of a membership. */
export interface Membership {
  userId: number;
  id: number;
  display: string;
}

/** What identity providers see of accounts. */
export class ProvisionedUsersRepository extends BaseRepository {
  /**
   * Needs a transaction across tenants: conditions on documents are not leakproof, so row-level security would keep
   * them away from their index. The tenant is a condition of its own.
   */
  async select(tx: Transaction, tenantId: number, selection: Selection): Promise<Selected> {
    const { filter, offset, limit, sortBy, descending = false } = selection;
    const values = new Values();
    const tenant = `u.tenant_id = ${values.add(tenantId)}`;
    const where = filter ? `${tenant} and ${conditionOf(filter, columnOfUser, values)}` : tenant;
    return selectIds(this.managerFor(tx), 'user_account u', 'u.id', where, values, {
      order: sortBy && orderOf(columnOfUser, sortBy),
      descending,
      offset,
      limit,
    });
  }

  async find(tx: Transaction, ids: readonly number[]): Promise<ProfiledUser[]> {
    const manager = this.managerFor(tx);
    const users = await manager.findBy(User, { id: In([...ids]) });
    const rows = await manager.query<{ id: number; profile: Profile | null }[]>(
      'select id, profile from user_account where id = any($1)',
      [ids],
    );
    const profiles = new Map(rows.map(({ id, profile }) => [id, profile]));
    const byId = new Map(users.map((user) => [user.id, { user, profile: profiles.get(user.id) ?? null }]));
    return ids.map((id) => byId.get(id)).filter((found) => found !== undefined);
  }

  async setProfile(tx: Transaction, id: number, profile: Profile): Promise<void> {
    await this.managerFor(tx).query('update user_account set profile = $2 where id = $1', [
      id,
      JSON.stringify(profile),
    ]);
  }

  groupsOf(tx: Transaction, userIds: readonly number[]): Promise<Membership[]> {
    return this.managerFor(tx).query<Membership[]>(
      `select m.user_id as "userId", g.id, g.name as display
       from user_group_member m join user_group g on g.id = m.group_id
       where m.user_id = any($1) order by g.id`,
      [userIds],
    );
  }
}

interface Window {
  order: string | undefined;
  descending: boolean;
  offset: number;
  limit: number;
}

/** Ids of one page and the number of all; nothing is read for a page of none. */
export async function selectIds(
  manager: { query<T>(text: string, values: unknown[]): Promise<T> },
  from: string,
  id: string,
  where: string,
  values: Values,
  { order, descending, offset, limit }: Window,
): Promise<Selected> {
  const [counted] = await manager.query<{ total: number }[]>(
    `select count(*)::int as total from ${from} where ${where}`,
    values.list,
  );
  const total = counted?.total ?? 0;
  if (limit === 0 || offset >= total) return { total, ids: [] };
  const direction = descending ? 'desc' : 'asc';
  const by = order === undefined ? `${id} ${direction}` : `${order} ${direction} nulls last, ${id}`;
  const page = [...values.list, offset, limit];
  const rows = await manager.query<{ id: number }[]>(
    `select ${id} as id from ${from} where ${where} order by ${by} offset $${page.length - 1} limit $${page.length}`,
    page,
  );
  return { total, ids: rows.map((row) => row.id) };
}
