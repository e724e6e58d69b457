import { setTimeout as pause } from 'node:timers/promises';
import type { BodyOf } from '@plinth/contract';
import { ApiClient } from './harness/api-client';
import { until } from './harness/poll';
import { startSeparateServices, type SeparateServices } from './harness/separate-services';
import { createDeployment, uniqueName } from './harness/story';

const LIMIT_MS = 1_000;

type Policies = BodyOf<'createRole'>['policies'];

/** A user with a role of their own, and a key that is in use on the second gateway. */
interface Member {
  userId: number;
  roleId: number;
  groupId: number;
  apiKeyId: number;
  elsewhere: ApiClient;
}

/** A way to take a user's rights, and what the user gets from then on. */
type Revocation = [what: string, status: 401 | 403, take: (api: ApiClient, member: Member) => Promise<unknown>];

const revocations: Revocation[] = [
  ['revoking the key', 401, (api, { apiKeyId }) => api.call('deleteApiKey', { path: { apiKeyId } })],
  [
    'deactivating the user',
    401,
    (api, { userId }) => api.call('updateUser', { path: { id: userId }, body: { isDeactivated: true } }),
  ],
  ['deleting the user', 401, (api, { userId }) => api.call('deleteUser', { path: { id: userId } })],
  [
    'taking the role away',
    403,
    (api, { userId, roleId }) => api.call('removeRoleFromUser', { path: { roleId, userId } }),
  ],
  ['clearing the role', 403, (api, { roleId }) => api.call('updateRole', { path: { roleId }, body: { policies: [] } })],
  ['deleting the role', 403, (api, { roleId }) => api.call('deleteRole', { path: { roleId } })],
];

describe('two gateways on NATS', () => {
  let platform: SeparateServices;
  let admin: ApiClient;
  let second: string;
  let deploymentId: number;
  const measured: string[] = [];

  beforeAll(async () => {
    platform = await startSeparateServices({ buildWorkers: 1 });
    admin = platform.admin;
    const gateway = await platform.restart('gateway-2');
    const ready = await gateway.waitForLine((line) => line.includes('"msg":"ready"'));
    second = (JSON.parse(ready) as { url: string }).url;
    ({ id: deploymentId } = await createDeployment(admin));
  });
  afterAll(async () => {
    process.stdout.write(`${measured.join('\n')}\n`);
    await platform?.stop();
  });

  const ask = ({ elsewhere }: Member) => elsewhere.attempt('getDeployment', { path: { deploymentId } });

  async function newMember(policies: Policies): Promise<Member> {
    const name = uniqueName('Member');
    const email = `${name.replace(' ', '-')}@example.test`;
    const { id: roleId } = await admin.call('createRole', { body: { name, policies } });
    const key = await platform.plinth('api-keys', 'create', '--tenant', 'local', '--email', email, '--role', name);
    const elsewhere = new ApiClient(second, `Bearer ${String(key['apiKey'])}`);
    const { id: userId } = await elsewhere.call('getCurrentUser');
    const { id: groupId } = await admin.call('createUserGroup', { body: { name } });
    await admin.call('addUserGroupMembers', { path: { id: groupId }, body: { userIds: [userId] } });
    return { userId, roleId, groupId, apiKeyId: Number(key['id']), elsewhere };
  }

  /** Milliseconds from the answer to the change until the second gateway refuses the user. */
  async function timeToRefusal(member: Member, status: number): Promise<number> {
    const begin = performance.now();
    for (;;) {
      const reply = await ask(member);
      const elapsed = performance.now() - begin;
      if (reply.status === status) return elapsed;
      if (elapsed > 2 * LIMIT_MS) throw new Error(`Still ${reply.status} after ${Math.round(elapsed)} ms`);
      await pause(5);
    }
  }

  async function measure(what: string, status: number, member: Member, take: () => Promise<unknown>): Promise<void> {
    await until(
      'the member to be let in',
      () => ask(member),
      (reply) => reply.status === 200,
    );
    await take();
    const elapsed = await timeToRefusal(member, status);
    measured.push(`${what}: ${status} on the other gateway after ${elapsed.toFixed(1)} ms`);
    expect(elapsed).toBeLessThan(LIMIT_MS);
  }

  const viewerOf = (id: number): Policies => [
    { resourceType: 'Global', actions: ['AIBIView'], resources: ['All'] },
    { resourceType: 'Deployment', actions: ['DeploymentRead'], resources: [String(id)] },
  ];

  it.each(revocations)('%s is felt within a second on the other one', async (what, status, take) => {
    const member = await newMember(viewerOf(deploymentId));
    await measure(what, status, member, () => take(admin, member));
  });

  it('leaving a group that gave the right is felt within a second on the other one', async () => {
    const member = await newMember(viewerOf(deploymentId).slice(0, 1));
    const { userId, groupId } = member;
    const resource = { resourceType: 'Deployment' as const, resourceId: deploymentId };
    const policy = { ...resource, groupId, action: 'DeploymentRead' as const };
    await admin.call('setGroupResourcePolicy', { body: policy });
    await measure('leaving a group', 403, member, () =>
      admin.call('removeUserGroupMembers', { path: { id: groupId }, body: { userIds: [userId] } }),
    );
  });

  it('taking a role from a group of the user is felt within a second on the other one', async () => {
    const member = await newMember(viewerOf(deploymentId).slice(0, 1));
    const { groupId } = member;
    const body = { name: uniqueName('Readers'), policies: viewerOf(deploymentId) };
    const path = { roleId: (await admin.call('createRole', { body })).id, groupId };
    await admin.call('assignRoleToGroup', { path });
    await measure('taking a role from a group', 403, member, () => admin.call('removeRoleFromGroup', { path }));
  });

  it('a key keeps working for those whose rights did not change', async () => {
    const member = await newMember(viewerOf(deploymentId));
    const other = await newMember(viewerOf(deploymentId));
    await admin.call('deleteRole', { path: { roleId: other.roleId } });
    expect((await ask(member)).status).toBe(200);
  });
});
