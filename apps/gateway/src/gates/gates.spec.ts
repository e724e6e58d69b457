import { builtInPolicies, embedGrants, grantsOf, systemPrincipal, type Policy, type Principal } from '@plinth/auth';
import { credentialKinds, operation, operations, type CredentialKind, type OperationId } from '@plinth/contract';
import {
  casesOf,
  customPolicies,
  embedRoles,
  isAccessRefusal,
  matrixRoles,
  readEmbedMatrix,
  readPermissionMatrix,
} from '@plinth/testing';
import { startGate, type Gate, type GateReply, type GateRequest } from './gate-fixture';

const HERE = 7;
const ELSEWHERE = 8;
const values = {
  deploymentId: HERE,
  branchName: 'main',
  environmentId: 1,
  resourceType: 'Deployment',
  resourceId: 1,
  installationId: 1,
  type: 'WORKBOOK',
  id: 1,
  publicId: 'q7XbT2mZk4Lw',
  embedTenantName: 'acme',
  chatId: '0b7bd1b6-1f3c-4f0e-9d2a-8f5b7c1f6a11',
};

const served = operations.filter(({ internal }) => !internal);
const idsOf = (list: readonly { operationId: OperationId }[]) => casesOf(list.map(({ operationId }) => operationId));
const isProtected = ({ access }: (typeof served)[number]): boolean => access.permission !== 'public';
const guarded = served.filter(isProtected);
const scoped = guarded.filter(({ access }) => access.scope === 'deployment');
const withBody = served.filter(({ hasBody, stream, rawBody }) => hasBody && stream !== 'request' && !rawBody);

const user = (policies: readonly Policy[], more: Partial<Principal> = {}): Principal => ({
  ...systemPrincipal(1),
  kind: 'api-key',
  credentialId: 'api-key:1',
  userId: 1,
  isAdmin: false,
  grants: grantsOf(policies),
  ...more,
});

const principals = new Map<string, Principal>();
/** A key for the principal, with a credential of every kind. */
function newKeys(name: string, principal: Principal): void {
  for (const kind of credentialKinds) principals.set(`${name}-${kind}`, { ...principal, kind });
}
for (const role of matrixRoles) {
  const policies = customPolicies(role, HERE) ?? builtInPolicies[role as keyof typeof builtInPolicies];
  newKeys(role.replace(' ', ''), user(policies, { isAdmin: role === 'Admin' }));
}
for (const role of embedRoles) {
  const grants = embedGrants(HERE, role === 'Embed creator');
  const sessionOf = { kind: 'embed-session', userId: null, deploymentIds: [HERE], grants } as const;
  principals.set(role.replace(' ', ''), user([], sessionOf));
}
newKeys('limited', user(builtInPolicies.Admin, { isAdmin: true, deploymentIds: [ELSEWHERE] }));

const key = (name: string, kind: CredentialKind = 'api-key'): string => `Bearer ${name.replace(' ', '')}-${kind}`;

describe('what the gateway refuses before it calls anybody', () => {
  let gate: Gate;

  beforeAll(async () => {
    gate = await startGate(principals);
  });
  afterAll(() => gate?.stop());

  const send = (operationId: OperationId, request: GateRequest = {}): Promise<GateReply> =>
    gate.send(operationId, { values, ...request });
  const codes = (operationId: OperationId, code: string): string | undefined =>
    operation(operationId).path.startsWith('/api/scim/') ? undefined : code;

  it.each(idsOf(guarded))('%s without a credential: 401', async (operationId) => {
    expect(await send(operationId)).toEqual({
      status: 401,
      code: codes(operationId, 'auth.credential_missing'),
      wwwAuthenticate: expect.stringContaining('Bearer'),
      reached: false,
    });
  });

  it.each(idsOf(served))('%s with garbage for a credential: 401', async (operationId) => {
    for (const authorization of ['Basic YWRtaW46YWRtaW4=', 'Bearer', 'Bearer two words']) {
      expect(await send(operationId, { authorization })).toMatchObject({ status: 401, reached: false });
    }
  });

  it.each(idsOf(served))(
    '%s with a key that the tenant of the host does not have, be it revoked, made up or of another tenant: 401',
    async (operationId) => {
      const authorization = 'Bearer sk-0000000000000000000000000000000000000000';
      expect(await send(operationId, { authorization })).toMatchObject({
        status: 401,
        code: codes(operationId, 'auth.credential_invalid'),
        reached: false,
      });
    },
  );

  it.each(idsOf(scoped))('%s with a key that is limited to another deployment: 403', async (operationId) => {
    const authorization = key('limited');
    expect(await send(operationId, { authorization })).toMatchObject({
      status: 403,
      code: 'access.deployment_out_of_scope',
      reached: false,
    });
  });

  it.each(idsOf(guarded))('%s with a credential of a kind that it does not take: 403', async (operationId) => {
    const taken: readonly string[] = operation(operationId).access.credentials;
    for (const kind of credentialKinds.filter((each) => !taken.includes(each))) {
      expect(await send(operationId, { authorization: key('Admin', kind) })).toMatchObject({
        status: 403,
        code: codes(operationId, 'access.credential_not_accepted'),
        reached: false,
      });
    }
  });

  it.each(idsOf(withBody))('%s with a body that is no object of the contract: 400', async (operationId) => {
    const authorization = key('Admin', operation(operationId).access.credentials[0]);
    expect(await send(operationId, { authorization, body: 'text' })).toMatchObject({ status: 400, reached: false });
  });
});

describe('what each role may ask of the services', () => {
  const matrix = readPermissionMatrix('gateway');
  let gate: Gate;

  beforeAll(async () => {
    gate = await startGate(principals);
  });
  afterAll(() => gate?.stop());

  describe.each(matrixRoles)('%s', (role) => {
    it.each(idsOf(served))('%s', async (operationId) => {
      const authorization = key(role);
      const { status, code, reached } = await gate.send(operationId, { values, authorization });
      const isLocal = operation(operationId).service === 'gateway';
      const answer = isAccessRefusal(operationId, status, code) ? 'no' : reached || isLocal ? 'yes' : `${status}`;
      expect(answer).toBe(matrix.get(operationId)?.get(role));
    });
  });
});

describe('what an embed session reaches', () => {
  const matrix = readEmbedMatrix('gateway');
  let gate: Gate;

  beforeAll(async () => {
    gate = await startGate(principals);
  });
  afterAll(() => gate?.stop());

  it('is written down for operations that name embed sessions, and for no others', () => {
    const named = served.filter(({ access }) => access.credentials.includes('embed-session'));
    expect([...matrix.keys()].sort()).toEqual(named.map(({ operationId }) => operationId).sort());
  });

  describe.each(embedRoles)('%s', (role) => {
    it.each(idsOf(served))('%s', async (operationId) => {
      const authorization = `Bearer ${role.replace(' ', '')}`;
      const { status, code, reached } = await gate.send(operationId, { values, authorization });
      const answer = isAccessRefusal(operationId, status, code) ? 'no' : reached ? 'yes' : `${status}`;
      expect(answer).toBe(matrix.get(operationId)?.get(role) ?? 'no');
    });

    it.each(idsOf(scoped))('%s of another deployment: 403', async (operationId) => {
      const authorization = `Bearer ${role.replace(' ', '')}`;
      const elsewhere = { ...values, deploymentId: ELSEWHERE };
      expect(await gate.send(operationId, { values: elsewhere, authorization })).toMatchObject({ status: 403 });
    });
  });
});
