import { systemPrincipal, type Principal } from '@plinth/auth';
import type { ReplyOf } from '@plinth/contract';
import type { Database } from '@plinth/database';
import { hashOf, newSecret } from '../credentials/api-keys/api-key-secret';
import type { Fixture } from './deployment-fixture';
import { tenantsService } from '../index';

/** A tenant with an administrator, users and groups of its own, in the database of a fixture. */
export interface TestTenant {
  id: number;
  admin: Principal;
  /** Makes a user without any role. */
  newUser(more?: { isDeactivated?: boolean }): Promise<number>;
  newGroup(...memberIds: number[]): Promise<number>;
  giveRoleToGroup(groupId: number, roleId: number): Promise<void>;
  builtInRole(name: string): Promise<number>;
  /** Gives the user an API key, and returns its secret. */
  newKey(userId: number, deploymentIds?: number[]): Promise<string>;
  allowPersonalKeys(allowed: boolean): Promise<void>;
  /** What a gateway is told of the credential. */
  authenticate(secret: string): Promise<ReplyOf<'authenticate'>>;
  /** The principal of a new key of the user, as a gateway gets it. */
  principalOf(userId: number): Promise<Principal>;
}

let things = 0;

export async function newTenant(platform: Fixture): Promise<TestTenant> {
  const { database } = platform;
  things += 1;
  const { id, name, admin } = await tenantsService(database).create({
    name: `tenant ${things}`,
    hosts: [`tenant-${things}.example`],
    adminEmail: 'admin@example.test',
  });
  const caller = { ...systemPrincipal(id), tenantName: name };
  const authenticate = (secret: string) =>
    platform.call(caller, 'authenticate', { body: { tenantId: id, tokenHash: hashOf(secret) } });
  const principal = async (secret: string): Promise<Principal> => {
    const { principal: found } = await authenticate(secret);
    if (!found) throw new Error('The credential is not accepted');
    return found;
  };
  const insert = (text: string, values: unknown[]) => insertRow(database, text, [id, ...values]);
  const newKey = async (userId: number, deploymentIds: number[] | null = null) => {
    const secret = newSecret();
    const columns = 'tenant_id, user_id, prefix, token_hash, deployment_ids';
    await insert(`api_key (${columns}) values ($1, $2, 'sk-test', $3, $4)`, [userId, hashOf(secret), deploymentIds]);
    return secret;
  };
  const tenant: TestTenant = {
    id,
    admin: await principal(admin.apiKey),
    newUser: ({ isDeactivated = false } = {}) => {
      things += 1;
      const columns = 'tenant_id, email, username, deactivated_at';
      const values = `$1, $2, $2, case when $3 then now() end`;
      return insert(`user_account (${columns}) values (${values})`, [`user-${things}@example.test`, isDeactivated]);
    },
    newGroup: async (...memberIds) => {
      things += 1;
      const groupId = await insert('user_group (tenant_id, name) values ($1, $2)', [`group ${things}`]);
      for (const userId of memberIds) {
        await insert('user_group_member (tenant_id, group_id, user_id) values ($1, $2, $3)', [groupId, userId]);
      }
      return groupId;
    },
    giveRoleToGroup: async (groupId, roleId) => {
      await insertRow(
        database,
        'group_role_assignment (tenant_id, group_id, role_id) values ($1, $2, $3)',
        [id, groupId, roleId],
        'role_id',
      );
    },
    builtInRole: async (roleName) => {
      const [role] = await database.read<{ id: number }>(
        id,
        { name: 'built-in-role', text: 'select id from role where is_built_in and name = $1' },
        [roleName],
      );
      return role?.id ?? 0;
    },
    newKey,
    allowPersonalKeys: async (allowed) => {
      await insertRow(
        database,
        `tenant_settings (tenant_id, allow_personal_api_keys) values ($1, $2)
         on conflict (tenant_id) do update set allow_personal_api_keys = excluded.allow_personal_api_keys`,
        [id, allowed],
        'tenant_id',
      );
    },
    authenticate,
    principalOf: async (userId) => principal(await newKey(userId)),
  };
  return tenant;
}

async function insertRow(database: Database, text: string, values: unknown[], returning = 'id'): Promise<number> {
  const statement = { name: text.slice(0, 60), text: `insert into ${text} returning ${returning} as id` };
  const [row] = await database.readAsSystem<{ id: number }>(statement, values);
  return row?.id ?? 0;
}
