// Fills the account of the bench as identity providers would, but with few statements.
import pg from 'pg';

/** Groups beside the measured two; each user is in three of them. */
const ordinaryGroups = 500;
const groupsOfUser = 3;

/** Profiles as Entra ID writes them; `folded_profile` and every index are kept by the tables themselves. */
const insertUsers = `
  insert into control_plane.user_account
    (tenant_id, email, username, external_id, first_name, last_name, is_external, deactivated_at, created_at, updated_at, profile)
  select 1, name || '@crowd.test', name || '@crowd.test', 'ext-' || n, 'Given' || n % 1000, 'Family' || n, true,
    case when n % 20 = 0 then now() end, now() - n * interval '1 minute', now() - n * interval '1 minute',
    jsonb_build_object(
      'displayName', 'Given' || n % 1000 || ' Family' || n,
      'title', 'Engineer ' || n % 40,
      'name', jsonb_build_object('givenName', 'Given' || n % 1000, 'familyName', 'Family' || n),
      'emails', jsonb_build_array(
        jsonb_build_object('value', name || '@crowd.test', 'type', 'work', 'primary', true),
        jsonb_build_object('value', name || '@home.test', 'type', 'home')),
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User', jsonb_build_object(
        'department', 'Department ' || n % 200, 'employeeNumber', n::text))
  from generate_series(1, $1::int) n, format('Person.%s', n) name`;

const insertGroups = `
  insert into control_plane.user_group (tenant_id, name, external_id)
  select 1, name, 'ext ' || name from (
    select 'Large', 0 union all select 'Small', 0 union all select 'Group ' || n, n from generate_series(1, ${ordinaryGroups}) n
  ) wanted (name, position) order by position, name`;

const insertMembers = `
  insert into control_plane.user_group_member (tenant_id, group_id, user_id)
  select 1, g.id, u.id
  from (select id, row_number() over (order by id) as n from control_plane.user_account where tenant_id = 1) u,
    control_plane.user_group g
  where g.name = 'Large' and u.n <= $1 or g.name = 'Small' and u.n <= $2`;

const insertOtherMembers = `
  insert into control_plane.user_group_member (tenant_id, group_id, user_id)
  select 1, g.id, u.id
  from (select id, row_number() over (order by id) as n from control_plane.user_account where tenant_id = 1) u
  cross join generate_series(0, ${groupsOfUser - 1}) as step
  join control_plane.user_group g on g.name = 'Group ' || 1 + (u.n * 7 + step * 101) % ${ordinaryGroups}`;

/** Rows of the tables that the bench asks about, by their own ids. */
export class ScimData {
  constructor(databaseUrl) {
    this.client = new pg.Client({ connectionString: databaseUrl });
  }

  async fill({ users, largeGroup, smallGroup }) {
    await this.client.connect();
    await this.client.query(insertUsers, [users]);
    await this.client.query(insertGroups);
    await this.client.query(insertMembers, [largeGroup, smallGroup]);
    await this.client.query(insertOtherMembers);
    // What PostgreSQL does by itself within a minute of such a change.
    for (const table of ['user_account', 'user_group', 'user_group_member']) {
      await this.client.query(`vacuum analyze control_plane.${table}`);
    }
  }

  async rows(text, values = []) {
    return (await this.client.query(text, values)).rows;
  }

  async groupId(name) {
    const [{ id }] = await this.rows('select id from control_plane.user_group where name = $1', [name]);
    return id;
  }

  async countUsers() {
    const [{ count }] = await this.rows('select count(*)::int from control_plane.user_account where tenant_id = 1');
    return count;
  }

  async countMembers(groupId) {
    const text = 'select count(*)::int from control_plane.user_group_member where group_id = $1';
    const [{ count }] = await this.rows(text, [groupId]);
    return count;
  }

  /** Ids of users by their place, from the first one on. */
  async userIds(first, count) {
    const text = 'select id from control_plane.user_account where tenant_id = 1 order by id offset $1 limit $2';
    return (await this.rows(text, [first, count])).map(({ id }) => id);
  }

  close() {
    return this.client.end();
  }
}
