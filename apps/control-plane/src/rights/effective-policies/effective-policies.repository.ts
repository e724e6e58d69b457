import type { Action, Policy } from '@plinth/auth';
import { BaseRepository, type Database, type Reader, type Transaction } from '@plinth/database';

/** A role that a user holds, directly, as an administrator, or through a group. */
export interface HeldRole {
  id: number;
  name: string;
  isBuiltIn: boolean;
  policies: Policy[];
}

/** One action on one resource. */
export interface HeldPolicy {
  resourceType: Policy['resourceType'];
  resourceId: number;
  action: Action;
}

/** All that gives a user rights. */
export interface Holdings {
  roles: HeldRole[];
  policies: HeldPolicy[];
}

const rolesOfUsers = `
  select u.id as user_id, r.id, r.name, r.is_built_in, r.policies
  from user_account u
  join lateral (
    select a.role_id from role_assignment a where a.user_id = u.id
    union
    select g.role_id from user_group_member m join group_role_assignment g on g.group_id = m.group_id where m.user_id = u.id
    union
    select admin.id from role admin
    where u.is_admin and admin.tenant_id = u.tenant_id and admin.is_built_in and admin.name = 'Admin'
  ) held on true
  join role r on r.id = held.role_id`;

const policiesOfUser = `
  select resource_type, resource_id, action from resource_policy where user_id = $1
  union
  select p.resource_type, p.resource_id, p.action
  from user_group_member m join resource_policy p on p.group_id = m.group_id where m.user_id = $1
  union
  select p.resource_type, p.resource_id, p.action
  from user_account u join resource_policy p on p.tenant_id = u.tenant_id
  where u.id = $1 and p.user_id is null and p.group_id is null`;

const holdingsOf = (policyFilter: string): string => `
  select
    (select coalesce(jsonb_agg(jsonb_build_object(
       'id', id, 'name', name, 'isBuiltIn', is_built_in, 'policies', policies) order by id), '[]')
     from (${rolesOfUsers} where u.id = $1) role) as roles,
    (select coalesce(jsonb_agg(jsonb_build_object(
       'resourceType', resource_type, 'resourceId', resource_id, 'action', action)
       order by resource_type, action, resource_id), '[]')
     from (${policiesOfUser}) policy where ${policyFilter}) as policies`;

const everything = holdingsOf('true');
const whatGrants = holdingsOf(`resource_type in ('Global', 'Deployment')`);

export class EffectivePoliciesRepository extends BaseRepository {
  async find(from: Reader, userId: number): Promise<Holdings> {
    return only(await this.prepared<Holdings>(from, everything, [userId]));
  }

  /** The same without what only owning services decide on; the way for looking up credentials. */
  async findForGrants(database: Database, tenantId: number, userId: number): Promise<Holdings> {
    return only(await database.read<Holdings>(tenantId, { name: 'grants-of-user', text: whatGrants }, [userId]));
  }

  /** Roles of many users, by the id of the user. */
  async findRoles(tx: Transaction, userIds: readonly number[]): Promise<Map<number, HeldRole[]>> {
    const rows = await this.managerFor(tx).query<{ userId: number; roles: HeldRole[] }[]>(
      `select user_id as "userId", jsonb_agg(jsonb_build_object(
         'id', id, 'name', name, 'isBuiltIn', is_built_in, 'policies', policies) order by id) as roles
       from (${rolesOfUsers} where u.id = any($1)) role group by user_id`,
      [userIds],
    );
    return new Map(rows.map(({ userId, roles }) => [userId, roles]));
  }
}

const only = ([row]: readonly Holdings[]): Holdings => row ?? { roles: [], policies: [] };
