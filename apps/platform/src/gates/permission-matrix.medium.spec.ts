import type { Principal } from '@plinth/auth';
import { operation, operations } from '@plinth/contract';
import {
  casesOf,
  customPolicies,
  embedRoles,
  matrixRequest,
  matrixRoles,
  readEmbedMatrix,
  readPermissionMatrix,
  type MatrixRole,
} from '@plinth/testing';
import { newBelongings, type Belongings } from './belongings-fixture';
import { startServices, type Services } from './services-fixture';

const served = operations.filter(({ internal }) => !internal);
/** The gateway answers the others itself. */
const called = casesOf(served.filter(({ service }) => service !== 'gateway').map(({ operationId }) => operationId));
const scoped = casesOf(
  served
    .filter(({ access }) => access.scope === 'deployment' && access.permission !== 'public')
    .map(({ operationId }) => operationId),
);
const matrix = readPermissionMatrix('service');

interface Caller {
  principal: Principal;
  targets: Belongings;
}

describe('the permission matrix', () => {
  it('has a row for every operation, and none for others', () => {
    expect([...matrix.keys()].sort()).toEqual(served.map(({ operationId }) => operationId).sort());
  });
});

describe('what the services let each role do', () => {
  let services: Services;
  const callers = new Map<MatrixRole, Caller>();
  const caller = (role: MatrixRole): Caller => callers.get(role) as Caller;

  beforeAll(async () => {
    services = await startServices();
    const admin = await services.newTenant('local');
    for (const role of matrixRoles) callers.set(role, await newCaller(services, admin, role));
  });
  afterAll(() => services?.stop());

  describe.each(matrixRoles)('%s', (role) => {
    it.each(called)('%s', async (operationId) => {
      const { principal, targets } = caller(role);
      const { status, code = '' } = await services.outcome(principal, operationId, matrixRequest(operationId, targets));
      // A public operation may want a credential of its own, such as a webhook's token.
      const unknown = status === 401 && operation(operationId).access.permission !== 'public';
      const isAllowed = code.startsWith('access.') ? 'no' : 'yes';
      expect([isAllowed, unknown, status >= 500]).toEqual([matrix.get(operationId)?.get(role), false, false]);
    });
  });

  it.each(scoped)('%s on a deployment that a custom role does not name: 403, whatever it is', async (operationId) => {
    const { principal, targets } = caller('Analyst');
    for (const deploymentId of [caller('Explorer').targets.deploymentId, 999_999_999]) {
      const request = matrixRequest(operationId, { ...targets, deploymentId });
      expect(await services.outcome(principal, operationId, request)).toEqual({ status: 403, code: 'access.denied' });
    }
  });

  it('shows a custom role its deployment alone', async () => {
    const { principal, targets } = caller('Analyst');
    const { items } = await services.call(principal, 'getDeployments');
    expect(items.map(({ id }) => id)).toEqual([targets.deploymentId]);
  });
});

describe('what the services let an embed session do', () => {
  const embedMatrix = readEmbedMatrix('service');
  const callers = new Map<string, Caller>();
  let services: Services;
  let elsewhere: Belongings;

  beforeAll(async () => {
    services = await startServices();
    const admin = await services.newTenant('local');
    elsewhere = await newBelongings(services, admin, 'Elsewhere');
    for (const role of embedRoles) callers.set(role, await newEmbedCaller(services, admin, role));
  });
  afterAll(() => services?.stop());

  describe.each(embedRoles)('%s', (role) => {
    it.each(called)('%s', async (operationId) => {
      const { principal, targets } = callers.get(role) as Caller;
      const request = matrixRequest(operationId, targets);
      const { status, code = '' } = await services.outcome(principal, operationId, request);
      const isAllowed = code.startsWith('access.') ? 'no' : 'yes';
      expect([isAllowed, status >= 500]).toEqual([embedMatrix.get(operationId)?.get(role) ?? 'no', false]);
    });

    it.each(scoped)('%s of another deployment: 403', async (operationId) => {
      const { principal } = callers.get(role) as Caller;
      const outcome = await services.outcome(principal, operationId, matrixRequest(operationId, elsewhere));
      expect(outcome).toMatchObject({ status: 403 });
    });
  });
});

async function newEmbedCaller(services: Services, admin: Principal, role: string): Promise<Caller> {
  const targets = await newBelongings(services, admin, role);
  const { deploymentId, embedTenantName } = targets;
  const session = { deploymentId, embedTenantName, externalId: 'ada', creatorMode: role === 'Embed creator' };
  return { principal: await services.newEmbedCaller(admin, session), targets };
}

async function newCaller(services: Services, admin: Principal, role: MatrixRole): Promise<Caller> {
  const targets = await newBelongings(services, admin, role);
  const policies = customPolicies(role, targets.deploymentId);
  if (policies) await services.call(admin, 'createRole', { body: { name: role, policies } as never });
  const email = `${role.toLowerCase().replace(' ', '-')}@example.test`;
  const principal = await services.newCaller(admin, { email, role });
  if (role === 'No tier') return { principal, targets: { ...targets, apiKeyId: 1 } };
  const { id: apiKeyId } = await services.call(principal, 'createApiKey', { body: { name: 'doomed' } });
  return { principal, targets: { ...targets, apiKeyId } };
}
