// Fills workspaces as people would over years, but with few statements.
import { createHash } from 'node:crypto';
import pg from 'pg';

const keyOf = (index) => `sk-${String(index).padStart(40, '0')}`;

const insertUsers = `
  insert into control_plane.user_account (tenant_id, email, username, first_name, is_admin)
  select 1, name || '@crowd.test', name || '@crowd.test', name, false
  from generate_series(1, $1::int) n, format('Person.%s', n) name returning id`;

/** Folders at the root, five in each of them, and so on, until there are as many as wanted. */
const insertFolders = `
  insert into workspace.item (tenant_id, deployment_id, type, name, position, parent_id, path, owner_id, created_by)
  select 1, $1, 'FOLDER', 'Folder ' || n, n, p.id, coalesce(p.path || p.id, '{}'), u.id, u.id
  from generate_series($2::int + 1, $3::int) n
  left join parents p on p.n = (n - $2 - 1) / 5 + $4
  join owners u on u.n = n % $5`;

/** A few things at the root, a tenth in one folder, the rest spread over all folders. */
const insertOthers = `
  insert into workspace.item (tenant_id, deployment_id, type, name, parent_id, path, owner_id, created_by, updated_at)
  select 1, $1, case when n % 3 = 0 then 'REPORT' else 'WORKBOOK' end,
    (array['Revenue', 'Costs', 'Churn', 'Margin', 'Stock'])[1 + n % 5] || ' of area ' || n,
    p.id, coalesce(p.path || p.id, '{}'), u.id, u.id, now() - n * interval '1 minute'
  from generate_series(1, $2::int) n
  left join parents p on p.n = case when n <= $3 then null when n % 10 = 0 then 0 else n % $4 end
  join owners u on u.n = n % $5`;

const insertPolicies = `
  insert into control_plane.resource_policy (tenant_id, resource_type, resource_id, user_id, action)
  select 1, kind, id, u.id, kind || (array['Read', 'Edit', 'Manage'])[1 + u.n % 3]
  from owners u cross join generate_series(1, $2::int) step
  join things t on t.n = (u.n * 37 + step * 101) % (select count(*) from things)`;

export class WorkspaceData {
  constructor(databaseUrl) {
    this.client = new pg.Client({ connectionString: databaseUrl });
  }

  /** @returns keys of some of the users, who may open deployments and make content. */
  async addUsers(count, keys, deploymentIds) {
    await this.client.connect();
    const { rows } = await this.client.query(insertUsers, [count]);
    await this.client.query('create temp table owners (n int primary key, id bigint)');
    await this.client.query('insert into owners select n - 1, id from unnest($1::bigint[]) with ordinality u(id, n)', [
      rows.map(({ id }) => id),
    ]);
    await this.client.query(
      `insert into control_plane.resource_policy (tenant_id, resource_type, resource_id, user_id, action)
       select 1, 'Global', 0, id, 'AIBIExplore' from owners
       union all select 1, 'Deployment', d, id, 'DeploymentRead' from owners, unnest($1::bigint[]) d`,
      [deploymentIds],
    );
    const made = rows.slice(0, keys).map(({ id }, index) => ({ id, key: keyOf(index) }));
    for (const { id, key } of made) {
      await this.client.query(
        `insert into control_plane.api_key (tenant_id, user_id, name, prefix, token_hash, is_issued_by_operator)
         values (1, $1, 'bench', 'sk-', $2, true)`,
        [id, createHash('sha256').update(key).digest('hex')],
      );
    }
    return made.map(({ key }) => key);
  }

  /** Folders and other things of a deployment; `shares` policies for each user. Returns ids to ask about. */
  async fill(deploymentId, { items, folders, rootFolders, rootItems, shares, users }) {
    const { client } = this;
    await client.query('drop table if exists parents, things');
    await client.query('create temp table parents (n int primary key, id bigint, path bigint[])');
    for (let done = 0, from = -1; done < folders;) {
      const until = done === 0 ? rootFolders : Math.min(folders, done + (done - Math.max(from, 0)) * 5);
      const values = [deploymentId, done, until, from < 0 ? -1_000_000 : from, users];
      await client.query(insertFolders, values);
      await client.query('truncate parents');
      await client.query(
        `insert into parents select row_number() over (order by id) - 1, id, path from workspace.item where deployment_id = $1`,
        [deploymentId],
      );
      [from, done] = [done === 0 ? 0 : done, until];
    }
    await client.query(insertOthers, [deploymentId, items - folders, rootItems, folders, users]);
    await client.query(
      `create temp table things as
       select row_number() over (order by id) - 1 as n, id, case type when 'FOLDER' then 'Folder' when 'REPORT' then 'Report' else 'Workbook' end as kind
       from workspace.item where deployment_id = $1 and (type <> 'FOLDER' or cardinality(path) > 1)`,
      [deploymentId],
    );
    await client.query(insertPolicies.replace('$2', '$1'), [shares]);
    const { rows } = await client.query('select id from parents order by n');
    return rows.map(({ id }) => Number(id));
  }

  /** What PostgreSQL does by itself within a minute of such a change. */
  async settle() {
    for (const table of ['workspace.item', 'control_plane.resource_policy', 'control_plane.user_account']) {
      await this.client.query(`vacuum analyze ${table}`);
    }
    await this.client.end();
  }
}
