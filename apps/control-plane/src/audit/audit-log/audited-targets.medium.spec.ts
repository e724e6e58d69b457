import type { Principal } from '@plinth/auth';
import { operations, type OperationId } from '@plinth/contract';
import { newDeployment, startFixture, type Fixture } from '../../testing/deployment-fixture';
import { newTenantAdmin, newUser } from '../../testing/account-fixture';
import { recordedActions } from '../../testing/recorded-actions-fixture';

const integration = {
  name: 'Warehouse',
  type: 'oidc',
  clientId: 'plinth',
  clientSecret: 'swordfish',
  authUrl: 'https://id.acme.test/authorize',
  tokenUrl: 'https://id.acme.test/token',
  redirectUri: 'https://acme.test/auth/oauth-integrations/callback',
  scopes: ['read'],
};

/** A request for each operation that makes something. */
const bodies: Partial<Record<OperationId, object>> = {
  createApiKey: { name: 'CI' },
  createDeployment: newDeployment('Sales'),
  createOAuthIntegration: integration,
  createOidcTokenConfig: { audienceType: 'AWS' },
  createProvisionedGroup: { displayName: 'Provisioned', memberIds: [] },
  createProvisionedUser: { userName: 'grace', resource: { userName: 'grace', emails: [{ value: 'g@acme.test' }] } },
  createRole: { name: 'Analysts', policies: [] },
  createScimToken: { name: 'Okta' },
  createUser: newUser('ada'),
  createUserAttribute: { name: 'region', type: 'string' },
  createUserGroup: { name: 'Europe' },
};
const creating = operations.filter(({ audit, service }) => audit?.target && service === 'control-plane');

describe('the audit event of what is created', () => {
  let platform: Fixture;
  let admin: Principal;

  beforeAll(async () => {
    platform = await startFixture();
    admin = await newTenantAdmin(platform);
  });
  afterAll(() => platform?.stop());

  it.each(creating)('names the target of $operationId, which the request could not', async ({ operationId, audit }) => {
    const { [operationId]: body } = bodies;
    expect(body).toBeDefined();
    const { id } = (await platform.call(admin, operationId, { body })) as { id: number };
    const recorded = await recordedActions(platform.database, admin.tenantId, audit?.event ?? '');
    const [action] = recorded.map(({ deploymentId, attributes }) => ({ deploymentId, ...attributes }));
    expect(action).toMatchObject({ [audit?.target ?? '']: id });
  });
});
