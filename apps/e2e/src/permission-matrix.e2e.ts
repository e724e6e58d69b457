import { operation, type OperationId } from '@plinth/contract';
import {
  casesOf,
  customPolicies,
  isAccessRefusal,
  matrixRequest,
  matrixRoles,
  readPermissionMatrix,
  type MatrixRole,
} from '@plinth/testing';
import type { ApiClient } from './harness/api-client';
import { representatives } from './harness/representatives';
import { createDeployment, openDevBranch, uniqueName } from './harness/story';
import { onNats } from './harness/topologies';
import type { Topology } from './harness/topology';

const cases = casesOf(representatives(() => true));
const scopedCases = casesOf(
  representatives(({ access }) => access.scope === 'deployment' && access.permission !== 'public'),
);
const matrix = readPermissionMatrix('service');

interface Caller {
  api: ApiClient;
  /** Things of the tenant that the caller asks for. */
  targets: Record<string, string | number>;
}

describe.each(onNats)('what each role may do: %s', (_name, start) => {
  let topology: Topology;
  const callers = new Map<MatrixRole, Caller>();
  const caller = (role: MatrixRole): Caller => callers.get(role) as Caller;

  beforeAll(async () => {
    topology = await start();
    await topology.plinth('tenants', 'update', '--tenant', topology.tenant, '--personal-api-keys', 'on');
    const made = await Promise.all(matrixRoles.map((role) => newCaller(topology, role)));
    matrixRoles.forEach((role, index) => callers.set(role, made[index] as Caller));
  });
  afterAll(() => topology?.stop());

  describe.each(matrixRoles)('%s', (role) => {
    it.each(cases)('%s', async (operationId: OperationId) => {
      const { api, targets } = caller(role);
      const { status, body } = await api.attempt(operationId, matrixRequest(operationId, targets));
      const refused = isAccessRefusal(operationId, status, (body as { code?: string } | undefined)?.code);
      // A public operation may want a credential of its own, such as a webhook's token.
      const unknown = status === 401 && operation(operationId).access.permission !== 'public';
      expect([refused ? 'no' : 'yes', unknown, status >= 500]).toEqual([
        matrix.get(operationId)?.get(role),
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
        const request = matrixRequest(operationId, { ...targets, deploymentId: elsewhere });
        expect(await api.refusal(operationId, request)).toMatchObject({ status: 403, code: 'access.denied' });
      }
    },
  );

  it('shows a custom role its deployment alone', async () => {
    const { api, targets } = caller('Analyst');
    expect((await api.call('getDeployments')).items.map(({ id }) => id)).toEqual([targets['deploymentId']]);
  });
});

async function newCaller({ admin, plinth, tenant }: Topology, role: MatrixRole): Promise<Caller> {
  const { id: deploymentId } = await createDeployment(admin, uniqueName(role));
  const branchName = await openDevBranch(admin, deploymentId, 'theirs');
  const { items } = await admin.call('getDeploymentEnvironments', { path: { deploymentId } });
  const policies = customPolicies(role, deploymentId);
  if (policies) await admin.call('createRole', { body: { name: role, policies } });
  const email = `${role.toLowerCase().replace(' ', '-')}@example.test`;
  const issued = await plinth('api-keys', 'create', '--tenant', tenant, '--email', email, '--role', role);
  const api = admin.as(`Bearer ${String(issued['apiKey'])}`);
  const ownKey = role === 'No tier' ? undefined : await api.call('createApiKey', { body: { name: 'doomed' } });
  const apiKeyId = ownKey?.id ?? 1;
  const environmentId = items[0]?.id ?? '';
  return {
    api,
    targets: { deploymentId, branchName, apiKeyId, environmentId, resourceType: 'Deployment', resourceId: 1 },
  };
}
