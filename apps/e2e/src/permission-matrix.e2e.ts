import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { operation, operations, type OperationId } from '@plinth/contract';
import type { ApiClient, OperationRequest } from './harness/api-client';
import { exampleRequest } from './harness/example-request';
import { createDeployment, openDevBranch, uniqueName } from './harness/story';
import { topologies } from './harness/topologies';
import type { Topology } from './harness/topology';

/** Least first, so that what administrators change disturbs nobody; deletions last, so that there is something to ask for. */
const roles = ['No tier', 'Analyst', 'Viewer', 'Explorer', 'Developer', 'Admin'] as const;
type RoleName = (typeof roles)[number];

const SETUP_MS = 240_000;

const deletes = (operationId: OperationId): boolean => /^(delete|bulk)/.test(operationId);
const served = operations.filter(({ internal }) => !internal);
const cases = served
  .map(({ operationId }): [OperationId] => [operationId])
  .sort(([left], [right]) => Number(deletes(left)) - Number(deletes(right)));
const scopedCases = served
  .filter(({ access }) => access.scope === 'deployment' && access.permission !== 'public')
  .map(({ operationId }): [OperationId] => [operationId]);

const expected = readMatrix();

/** Rows of the reviewed table: what each role may do, by operation. */
function readMatrix(): Map<string, ReadonlyMap<string, string>> {
  const text = readFileSync(resolve(__dirname, '../../../docs/permission-matrix.md'), 'utf8');
  const [head, , ...rows] = text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const columns = head?.slice(2, -1) ?? [];
  return new Map(
    rows.map(([, operationId = '', ...cells]) => [
      operationId.replaceAll('`', ''),
      new Map(columns.map((role, index) => [role, cells[index] ?? ''])),
    ]),
  );
}

interface Caller {
  api: ApiClient;
  /** Things of the tenant that the caller asks for. */
  targets: Record<string, string | number>;
}

describe('the permission matrix', () => {
  it('has a row for every operation, and none for others', () => {
    expect([...expected.keys()].sort()).toEqual(served.map(({ operationId }) => operationId).sort());
  });
});

describe.each(topologies)('what each role may do: %s', (_name, start) => {
  let topology: Topology;
  const callers = new Map<RoleName, Caller>();
  const caller = (role: RoleName): Caller => callers.get(role) as Caller;

  beforeAll(async () => {
    topology = await start();
    await topology.plinth('tenants', 'set', '--tenant', 'local', '--personal-api-keys', 'on');
    const made = await Promise.all(roles.map((role) => newCaller(topology, role)));
    roles.forEach((role, index) => callers.set(role, made[index] as Caller));
  }, SETUP_MS);
  afterAll(() => topology?.stop());

  describe.each(roles)('%s', (role) => {
    it.each(cases)('%s', async (operationId) => {
      const { api, targets } = caller(role);
      const { status, body } = await api.attempt(operationId, requestFor(operationId, targets));
      const { code = '' } = (body ?? {}) as { code?: string };
      // Errors of SCIM carry no code.
      const refused = status === 403 && (code.startsWith('access.') || operation(operationId).service === 'scim');
      // A public operation may want a credential of its own, such as a webhook's token.
      const unknown = status === 401 && operation(operationId).access.permission !== 'public';
      expect([refused ? 'no' : 'yes', unknown, status >= 500]).toEqual([
        expected.get(operationId)?.get(role),
        false,
        false,
      ]);
    });
  });

  it.each(scopedCases)(
    '%s on a deployment that a custom role does not name: 403, whatever it is',
    async (operationId) => {
      const { api, targets } = caller('Analyst');
      const { deploymentId = 0 } = caller('Explorer').targets;
      for (const elsewhere of [deploymentId, 999_999_999]) {
        const request = requestFor(operationId, { ...targets, deploymentId: elsewhere });
        expect(await api.refusal(operationId, request)).toMatchObject({ status: 403, code: 'access.denied' });
      }
    },
  );

  it('shows a custom role its deployment alone', async () => {
    const { api, targets } = caller('Analyst');
    expect((await api.call('getDeployments')).items.map(({ id }) => id)).toEqual([targets['deploymentId']]);
  });
});

/** The example of the contract, about the caller's own things. */
function requestFor(operationId: OperationId, targets: Caller['targets']): OperationRequest<OperationId> {
  const request = exampleRequest(operationId, targets);
  const ownBodies: Partial<Record<OperationId, object>> = {
    createApiKey: { name: 'mine', deploymentIds: [Number(targets['deploymentId'])] },
    // The example's users could be those of other callers.
    bulkUserAction: { action: 'DEACTIVATE', userIds: [999_999_999] },
  };
  return { ...request, ...(ownBodies[operationId] && { body: ownBodies[operationId] }) } as typeof request;
}

async function newCaller({ admin, plinth }: Topology, role: RoleName): Promise<Caller> {
  const { id: deploymentId } = await createDeployment(admin, uniqueName(role));
  const branchName = await openDevBranch(admin, deploymentId, 'theirs');
  const { items } = await admin.call('getDeploymentEnvironments', { path: { deploymentId } });
  await makeCustomRole(admin, role, deploymentId);
  const email = `${role.toLowerCase().replace(' ', '-')}@example.test`;
  const issued = await plinth('api-keys', 'create', '--tenant', 'local', '--email', email, '--role', role);
  const api = admin.as(`Bearer ${String(issued['apiKey'])}`);
  const ownKey = role === 'No tier' ? undefined : await api.call('createApiKey', { body: { name: 'doomed' } });
  const apiKeyId = ownKey?.id ?? 1;
  const environmentId = items[0]?.id ?? '';
  return {
    api,
    targets: { deploymentId, branchName, apiKeyId, environmentId, resourceType: 'Deployment', resourceId: 1 },
  };
}

async function makeCustomRole(admin: ApiClient, role: RoleName, deploymentId: number): Promise<void> {
  const onDeployment = {
    resourceType: 'Deployment' as const,
    actions: ['DeploymentRead' as const, 'SchemaRead' as const],
    resources: [String(deploymentId)],
  };
  const tier = { resourceType: 'Global' as const, actions: ['AIBIView' as const], resources: ['All'] };
  if (role === 'No tier') await admin.call('createRole', { body: { name: role, policies: [onDeployment] } });
  if (role === 'Analyst') await admin.call('createRole', { body: { name: role, policies: [tier, onDeployment] } });
}
