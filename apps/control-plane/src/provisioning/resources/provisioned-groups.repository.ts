import { BaseRepository, type Database, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { UserGroup } from '../../people';
import { In } from 'typeorm';
import { select, type Selected, type Selection } from './selection';
import { nextMoment } from './resource-version';

const taken = {
  user_group_tenant_id_name_unique: () => new AppError('user_group.name_taken', 'Another group has this name already'),
};

/** A member as groups show them. */
export interface ShownMember {
  groupId: number;
  id: number;
  display: string;
}

/** A member with the place of the membership among those of its group. */
export interface Membership extends ShownMember {
  membershipId: number;
}

/** How many of the users who got a role are named. */
const MOST_NAMED = 1_000;

/** What an addition of members changed. */
export interface Addition {
  addedCount: number;
  /** The role that somebody got; null when nobody did. */
  roleId: number | null;
  givenCount: number;
  /** Ids of the first of those who got it. */
  givenTo: number[];
}

/** What identity providers see of groups. Members are changed by what differs; nobody reads them all to change one. */
export class ProvisionedGroupsRepository extends BaseRepository {
  select(database: Database, tenantId: number, selection: Selection): Promise<Selected> {
    return select(database, 'Group', tenantId, selection);
  }

  async find(tx: Transaction, ids: readonly number[]): Promise<UserGroup[]> {
    const groups = await this.managerFor(tx).findBy(UserGroup, { id: In([...ids]) });
    const byId = new Map(groups.map((group) => [group.id, group]));
    return ids.map((id) => byId.get(id)).filter((group) => group !== undefined);
  }

  findForUpdate(tx: Transaction, id: number): Promise<UserGroup | null> {
    return this.managerFor(tx).findOne(UserGroup, { where: { id }, lock: { mode: 'for_no_key_update' } });
  }

  /** @throws AppError `user_group.name_taken` (409). */
  insert(tx: Transaction, group: Pick<UserGroup, 'tenantId' | 'name' | 'externalId'>): Promise<UserGroup> {
    const complete = { ...group, description: null };
    return this.mapUnique(taken, () => this.managerFor(tx).save(UserGroup, complete)) as Promise<UserGroup>;
  }

  /** @throws AppError `user_group.name_taken` (409). */
  async save(tx: Transaction, group: UserGroup): Promise<void> {
    await this.mapUnique(taken, () => this.managerFor(tx).save(UserGroup, { ...group, updatedAt: nextMoment(group) }));
  }

  membersOf(tx: Transaction, groupIds: readonly number[]): Promise<ShownMember[]> {
    return this.managerFor(tx).query<ShownMember[]>(
      `select m.group_id as "groupId", u.id, u.username as display
       from user_group_member m join user_account u on u.id = m.user_id
       where m.group_id = any($1) order by m.id`,
      [groupIds],
    );
  }

  /**
   * The next members of the groups, those of the first group behind the membership `after`, which all are read from an
   * index in their order.
   */
  listMembers(tx: Transaction, groupIds: readonly number[], after: number, limit: number): Promise<Membership[]> {
    return this.managerFor(tx).query<Membership[]>(
      `select m.id as "membershipId", m.group_id as "groupId", u.id, u.username as display
       from unnest($1::bigint[]) with ordinality as wanted (id, position)
       cross join lateral (
         select m.id, m.group_id, m.user_id from user_group_member m
         where m.group_id = wanted.id and m.id > case wanted.position when 1 then $2::bigint else 0 end
         order by m.id limit $3
       ) m
       join user_account u on u.id = m.user_id
       order by wanted.position, m.id limit $3`,
      [groupIds, after, limit],
    );
  }

  /**
   * Adds those who are no members yet, and gives these, and nobody else, the role that goes with a group of this name.
   * The role is held, so that it cannot be deleted meanwhile.
   */
  async addMembers(tx: Transaction, { tenantId, id, name }: UserGroup, userIds: readonly number[]): Promise<Addition> {
    const [addition] = await this.managerFor(tx).query<Addition[]>(
      `with added as (
         insert into user_group_member (tenant_id, group_id, user_id)
         select $1, $2, user_id from unnest($3::bigint[]) as user_id order by user_id
         on conflict (group_id, user_id) do nothing returning user_id
       ), mapped as (
         select r.id from provisioning_group_role g join role r on r.id = g.role_id
         where g.tenant_id = $1 and lower(g.group_name) = lower($4) for key share of r
       ), given as (
         insert into role_assignment (tenant_id, user_id, role_id)
         select $1, added.user_id, mapped.id from added cross join mapped order by added.user_id
         on conflict (user_id, role_id) do nothing returning user_id, role_id
       )
       select (select count(*)::int from added) as "addedCount", min(role_id) as "roleId", count(*)::int as "givenCount",
         coalesce((array_agg(user_id order by user_id))[1:${MOST_NAMED}], '{}') as "givenTo"
       from given`,
      [tenantId, id, userIds, name],
    );
    return addition ?? { addedCount: 0, roleId: null, givenCount: 0, givenTo: [] };
  }

  /** Removes those who are members; whether anybody was. */
  async removeMembers(tx: Transaction, { id }: UserGroup, userIds: readonly number[]): Promise<boolean> {
    return this.deleted(tx, 'group_id = $1 and user_id = any($2)', [id, userIds]);
  }

  /** Removes everybody else; whether anybody was there. */
  async removeOthers(tx: Transaction, { id }: UserGroup, userIds: readonly number[]): Promise<boolean> {
    return this.deleted(tx, 'group_id = $1 and not user_id = any($2)', [id, userIds]);
  }

  private async deleted(tx: Transaction, where: string, values: unknown[]): Promise<boolean> {
    const rows = await this.managerFor(tx).query<{ count: number }[]>(
      `with gone as (delete from user_group_member where ${where} returning id) select count(*)::int as count from gone`,
      values,
    );
    return (rows[0]?.count ?? 0) > 0;
  }
}
