import { managerFor } from '@plinth/database';
import { parseFilter, resolvePath, type ResourceKind } from '@plinth/scim-protocol';
import { createTestDatabase, type ServiceDatabase } from '@plinth/testing';
import { Client } from 'pg';
import { controlPlaneSchema } from '../../control-plane.schema';
import { ProvisionedGroupsRepository } from './provisioned-groups.repository';
import { ProvisionedUsersRepository } from './provisioned-users.repository';
import { selectionOf, type Selection } from './selection';

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: PlanNode[];
}

const tenantId = 3;
const [tenants, usersOfTenant, groupsOfTenant] = [20, 1_000, 200];

/** Profiles of people who differ in all that a filter can name. */
const crowd = `
  insert into user_account (tenant_id, email, username, external_id, created_at, updated_at, profile)
  select tenant, name || '@crowd.test', name || '@crowd.test', 'ext-' || n, moment, moment, jsonb_build_object(
    'displayName', 'Person ' || n, 'title', 'Engineer ' || n, 'name', jsonb_build_object('familyName', 'Family' || n),
    'emails', jsonb_build_array(jsonb_build_object('value', name || '@crowd.test', 'type', 'work', 'primary', true)),
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User', jsonb_build_object('department', 'Department ' || n)
  )
  from generate_series(1, $2::int) n, generate_series(1, $1::int) tenant,
    format('person.%s', n) name, cast(timestamptz '2026-01-01T00:00:00Z' + n * interval '1 hour' as timestamptz) moment`;

const teams = `
  insert into user_group (tenant_id, name, external_id, updated_at)
  select tenant, 'Team ' || n, 'team-' || n, timestamptz '2026-01-01T00:00:00Z' + n * interval '1 hour'
  from generate_series(1, $2::int) n, generate_series(1, $1::int) tenant`;

const members = `
  insert into user_group_member (tenant_id, group_id, user_id)
  select g.tenant_id, g.id, u.id from user_group g join user_account u using (tenant_id)
  where (u.id + g.id) % 40 = 0`;

/** One user without attributes of the enterprise, and one with a fact that the tenant keeps. */
const exceptions = `
  with attribute as (
    insert into user_attribute (tenant_id, name, type) values ($1, 'team', 'string') returning id
  ), bare as (
    update user_account set profile = '{}' where tenant_id = $1 and external_id = 'ext-1'
  )
  insert into user_attribute_value (tenant_id, user_id, user_attribute_id, value)
  select $1, u.id, attribute.id, '"Sales"' from user_account u, attribute
  where u.tenant_id = $1 and u.external_id = 'ext-2'`;

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const since = (day: string): string => `meta.lastModified ge "2026-${day}T00:00:00Z"`;
const until = (day: string): string => `meta.lastModified le "2026-${day}T00:00:00Z"`;

const [names, externalIds, changes, parts, documents] = [
  'user_account_tenant_id_username_unique',
  'user_account_tenant_id_external_id_index',
  'user_account_tenant_id_updated_at_index',
  'user_account_tenant_id_search_text_index',
  'user_account_tenant_id_folded_profile_index',
];

/** Filters of users, by the behaviours that they occur in, with the indexes that may find the users. */
const indexed: [behaviours: string, filter: string, indexes: string[]][] = [
  ['20, 54, 71, 73', 'userName eq "PERSON.77@crowd.test"', [names]],
  ['21, 73', 'externalId eq "ext-77"', [externalIds]],
  ['22', 'emails[type eq "work"].value eq "person.77@crowd.test"', [documents]],
  ['22', 'emails.value eq "person.77@crowd.test"', [documents]],
  ['23', 'displayName eq "a (b) or [c] \\"d\\""', [documents]],
  ['24', 'userName co "son.77@"', [parts]],
  ['24', 'userName sw "person.77@"', [parts, names]],
  ['24', 'userName ew "77@crowd.test"', [parts]],
  ['24', since('02-11'), [changes]],
  ['24', 'meta.lastModified gt "2026-02-10T00:00:00+02:00" and meta.lastModified lt "2026-02-11T00:00:00Z"', [changes]],
  ['24', 'meta.lastModified eq "2026-02-10T00:00:00Z"', [changes]],
  ['25', 'userName eq "a" or externalId eq "b" and title eq "c"', [names, externalIds]],
  ['25', 'title eq "c" and not (userName eq "a" or userName eq "b")', [documents]],
  ['26', 'urn:ietf:params:scim:schemas:core:2.0:User:userName eq "person.7@crowd.test"', [names]],
  ['26', `${enterprise}:department eq "Department 7"`, [documents]],
  ['Entra', `active eq true and (${since('02-10')} and ${until('02-11')})`, [changes]],
];

/** Filters that select by what a user is not, or by a part of a value in the profile, go through the tenant's users. */
const bounded = [
  'userName ne "a"',
  'not (userName eq "a" or userName eq "b")',
  'not (userName eq "a" and title eq "b")',
  'title ne "a"',
  'title pr',
  'active eq true',
  'active eq false',
  'displayName co "son 7"',
  'displayName sw "Person 7"',
  'emails.value ew "@crowd.test"',
  'emails[type eq "work" and value co "son.7"]',
  'emails[not (type eq "work")]',
  'id co "7"',
  'externalId sw "ext-7"',
  'meta.created ge "2026-02-11T00:00:00Z"',
  'meta.resourceType eq "User"',
  'schemas pr',
  `schemas eq "${enterprise}"`,
  'schemas ne "urn:cube:params:1.0:UserAttribute"',
];

const others: [behaviours: string, kind: ResourceKind, filter: string, indexed: string][] = [
  ['72, 73', 'Group', 'displayName eq "TEAM 7"', 'user_group_tenant_id_name_unique'],
  ['73, 89', 'Group', 'externalId eq "team-7"', 'user_group_tenant_id_external_id_index'],
  ['90', 'Group', 'members eq "77"', 'user_group_member'],
  ['90', 'Group', 'id eq "7" and members[value eq "77"]', 'user_group_member'],
  ['90', 'User', 'groups.value eq "7"', 'user_group_member'],
];

describe('finding provisioned resources among those of many tenants', () => {
  let test: ServiceDatabase;

  beforeAll(async () => {
    test = await createTestDatabase(controlPlaneSchema);
    await test.database.asSystem(async (tx) => {
      await managerFor(tx).query(crowd, [tenants, usersOfTenant]);
      await managerFor(tx).query(teams, [tenants, groupsOfTenant]);
      await managerFor(tx).query(members);
      await managerFor(tx).query(exceptions, [tenantId]);
    });
    const owner = new Client({ connectionString: test.url });
    await owner.connect();
    for (const table of ['user_account', 'user_group', 'user_group_member']) {
      await owner.query(`vacuum analyze control_plane.${table}`);
    }
    await owner.end();
  });
  afterAll(() => test?.drop());

  /** The plan of the statement that the repository sends, under its role. */
  async function planOf(kind: ResourceKind, selection: Partial<Selection>): Promise<PlanNode[]> {
    const { text, values } = selectionOf(kind, tenantId, { offset: 0, limit: 100, ...selection });
    const [explained] = (await test.database.asSystem((tx) =>
      managerFor(tx).query(`explain (format json) ${text}`, values),
    )) as [{ 'QUERY PLAN': [{ Plan: PlanNode }] }];
    return nodesOf(explained['QUERY PLAN'][0].Plan);
  }
  const planOfFilter = (kind: ResourceKind, filter: string) => planOf(kind, { filter: parseFilter(kind, filter) });

  it.each(indexed)(
    '97: %s, users with %s are found by an index of what it names',
    async (_behaviours, filter, indexes) => {
      const plan = await planOfFilter('User', filter);
      expect(scannedWhole(plan)).toEqual([]);
      const used = indexesOf(plan, 'user_account');
      expect(used).not.toEqual([]);
      expect(indexes).toEqual(expect.arrayContaining(used));
    },
  );

  it.each(bounded)('users with %s are looked for among those of the tenant alone', async (filter) => {
    const plan = await planOfFilter('User', filter);
    expect(scannedWhole(plan)).toEqual([]);
    const conditions = plan.filter((node) => node['Index Name']?.startsWith('user_account_'));
    expect(conditions).not.toEqual([]);
    for (const node of conditions) expect(node['Index Cond']).toContain(`tenant_id = '${tenantId}'`);
  });

  it.each(others)('%s: %ss with %s are found by an index of %s', async (_behaviours, kind, filter, indexed) => {
    const plan = await planOfFilter(kind, filter);
    expect(scannedWhole(plan)).toEqual([]);
    expect(indexesOf(plan, indexed)).not.toEqual([]);
  });

  it.each(['userName', 'externalId', 'meta.lastModified'])(
    '98: the last page and the total by %s, either way, come in the order of an index',
    async (name) => {
      const sortBy = resolvePath('User', name)?.path;
      for (const descending of [false, true]) {
        const plan = await planOf('User', { sortBy, descending, offset: usersOfTenant - 10 });
        expect(scannedWhole(plan)).toEqual([]);
        expect(plan.map((node) => node['Node Type'])).not.toContain('Sort');
      }
    },
  );

  it('98: the last page and the total are read from an index alone', async () => {
    const plan = await planOf('User', { offset: usersOfTenant - 10 });
    const scans = plan.filter((node) => node['Relation Name'] === 'user_account');
    expect(scans.map((node) => node['Node Type'])).toEqual(['Index Only Scan', 'Index Only Scan']);
  });

  it('123 selects what the filter says, never in another tenant', async () => {
    const repository = new ProvisionedUsersRepository();
    const groups = new ProvisionedGroupsRepository();
    const select = (filter: string, tenant = tenantId) =>
      repository.select(test.database, tenant, { filter: parseFilter('User', filter), offset: 0, limit: 2 });
    for (const [filter, total] of [
      ['userName co "SON.77"', 11],
      ['userName sw "person.77"', 11],
      ['userName sw "erson.77"', 0],
      ['userName ew ".77@crowd.test"', 1],
      ['userName co "person_77"', 0],
      ['userName co "Engineer"', 0],
      [`${since('02-01')} and ${until('02-01')}`, 1],
      ['meta.lastModified gt "2026-02-01T00:00:00Z" and meta.lastModified lt "2026-02-01T02:00:00Z"', 1],
      ['meta.lastModified ne "2026-02-01T00:00:00Z"', usersOfTenant - 1],
      ['meta.lastModified lt "+012026-02-01T00:00:00Z"', usersOfTenant],
      ['userName sw "person.77" and meta.resourceType eq "User"', 11],
      ['meta.resourceType eq "user"', 0],
      ['meta.resourceType ne "Group"', usersOfTenant],
      [`schemas eq "${enterprise.toUpperCase()}"`, usersOfTenant - 1],
      [`schemas ne "${enterprise}"`, 1],
      ['schemas co "core:2.0:User"', usersOfTenant],
      ['urn:ietf:params:scim:schemas:core:2.0:User:schemas eq "urn:cube:params:1.0:UserAttribute"', 1],
      ['schemas eq "urn:ietf:params:scim:schemas:core:2.0:Group"', 0],
    ] as const) {
      const { total: found, ids: page } = await select(filter);
      expect([filter, found, page.length]).toEqual([filter, total, Math.min(total, 2)]);
    }
    for (const [filter, total] of [
      ['meta.resourceType eq "Group"', groupsOfTenant],
      ['schemas eq "urn:ietf:params:scim:schemas:core:2.0:Group"', groupsOfTenant],
      [`schemas eq "${enterprise}"`, 0],
    ] as const) {
      const selection = { filter: parseFilter('Group', filter), offset: 0, limit: 0 };
      expect(await groups.select(test.database, tenantId, selection)).toEqual({ total, ids: [] });
    }
    expect(await select('externalId pr', tenants + 1)).toEqual({ total: 0, ids: [] });
  });
});

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** Tables that the plan reads as a whole. */
const scannedWhole = (plan: readonly PlanNode[]) =>
  plan.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name']);

const indexesOf = (plan: readonly PlanNode[], start: string) =>
  plan.flatMap((node) => node['Index Name'] ?? []).filter((name) => name.startsWith(start));
