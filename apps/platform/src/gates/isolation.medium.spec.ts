import type { Principal } from '@plinth/auth';
import { operations, type OperationId } from '@plinth/contract';
import { casesOf, exampleRequest } from '@plinth/testing';
import { newBelongings, type Belongings } from './belongings-fixture';
import { startServices, type Services } from './services-fixture';

const guarded = operations.filter(
  ({ internal, service, access }) => !internal && service !== 'scim' && access.permission !== 'public',
);
const idsOf = (list: typeof guarded) => casesOf(list.map(({ operationId }) => operationId));
const scoped = guarded.filter(({ access }) => access.scope === 'deployment');
const administering = guarded.filter(({ access, method }) => access.permission === 'admin' && method !== 'GET');

describe('what the services answer to the wrong caller', () => {
  let services: Services;
  let admin: Principal;
  let stranger: Principal;
  let limited: Principal;
  let belongings: Belongings;

  beforeAll(async () => {
    services = await startServices();
    admin = await services.newTenant('local');
    stranger = await services.newTenant('acme');
    belongings = await newBelongings(services, admin, 'Guarded');
    const elsewhere = await newBelongings(services, admin, 'Elsewhere');
    limited = { ...admin, deploymentIds: [elsewhere.deploymentId] };
  });
  afterAll(() => services?.stop());

  const outcome = (caller: Principal, operationId: OperationId) =>
    services.outcome(caller, operationId, exampleRequest(operationId, belongings));

  it.each(idsOf(scoped))('%s with a key that is limited to another deployment: 403', async (operationId) => {
    expect(await outcome(limited, operationId)).toEqual({ status: 403, code: 'access.deployment_out_of_scope' });
  });

  it.each(idsOf(administering))("%s with a limited key, be it an administrator's: 403", async (operationId) => {
    expect(await outcome(limited, operationId)).toEqual({ status: 403, code: 'access.deployment_out_of_scope' });
  });

  it.each(idsOf(scoped))("%s on another tenant's deployment: 404", async (operationId) => {
    expect(await outcome(stranger, operationId)).toMatchObject({ status: 404 });
  });

  it("does not know another tenant's key, nor one that was revoked", async () => {
    const { token, id } = await services.call(admin, 'createApiKey', { body: { name: 'doomed' } });
    expect(await services.identify(stranger.tenantId, token)).toBeNull();
    expect(await services.identify(admin.tenantId, token)).toMatchObject({ tenantId: admin.tenantId });
    await services.call(admin, 'deleteApiKey', { path: { apiKeyId: id } });
    expect(await services.identify(admin.tenantId, token)).toBeNull();
  });

  it("does not show another tenant's things in any list, nor let them be reached by id", async () => {
    const { apiKeyId } = belongings;
    expect((await services.call(stranger, 'getDeployments')).items).toEqual([]);
    expect((await services.call(stranger, 'listApiKeys')).items.map(({ id }) => id)).not.toContain(apiKeyId);
    for (const operationId of ['getApiKey', 'deleteApiKey'] as const) {
      expect(await services.outcome(stranger, operationId, { path: { apiKeyId } })).toMatchObject({ status: 404 });
    }
    expect(await services.call(admin, 'getApiKey', { path: { apiKeyId } })).toMatchObject({ id: apiKeyId });
  });
});
