import 'reflect-metadata';
import { hasAccess, type Principal } from '@plinth/auth';
import { startEmbed, transports, type EmbedFixture } from '../testing/embed-fixture';
import { DEPLOYMENT, testSessions, type TestSessions } from '../testing/session-fixture';

describe.each(transports)('what services are told of embed sessions, by %s', (transport) => {
  let platform: EmbedFixture;
  let sessions: TestSessions;

  beforeAll(async () => {
    platform = await startEmbed(transport);
  });
  afterAll(() => platform?.stop());
  beforeEach(() => {
    sessions = testSessions(platform);
    sessions.account.users.set('bob', { userId: 8, generation: 2, isAdmin: false });
  });

  const principalOf = async (request: object): Promise<Principal> => (await sessions.open(request)).principal;

  it.each(['authenticateEmbedSession', 'describeEmbedSession'] as const)(
    'is for the platform alone (%s)',
    async (id) => {
      const request = { body: { token: 'x', sessionId: 'x' } };
      expect(await platform.refusal(sessions.account.admin, id, request)).toEqual({
        status: 403,
        code: 'access.denied',
      });
    },
  );

  it('is that embed users read on their deployment, and administer and change nothing', async () => {
    const principal = await principalOf({ embedTenantName: 'acme', userProfile: { displayName: 'Ada' } });
    expect(principal).toMatchObject({
      kind: 'embed-session',
      userId: null,
      userName: 'Ada',
      email: null,
      isAdmin: false,
      deploymentIds: [DEPLOYMENT],
      embed: { deploymentId: DEPLOYMENT, embedUserId: expect.any(Number), embedTenantName: 'acme', isCreator: false },
    });
    expect(hasAccess(principal, 'EmbedDashboardRead')).toBe(true);
    expect(hasAccess(principal, 'DeploymentRead', DEPLOYMENT)).toBe(true);
    expect(hasAccess(principal, 'DeploymentRead', DEPLOYMENT + 1)).toBe(false);
    for (const action of ['AIBIExplore', 'DownloadData', 'DeploymentUpdate', 'SchemaRead', 'WorkbookEdit'] as const) {
      expect([action, hasAccess(principal, action)]).toEqual([action, false]);
    }
  });

  it('is which groups of the embed tenant a user is in now, whatever they were in', async () => {
    const { account, open, authenticate } = sessions;
    const path = { embedTenantName: 'acme' };
    const made = async (name: string) =>
      (await platform.call(account.admin, 'createGroup', { path, body: { name } })).id;
    const [planners, buyers] = [await made('Planners'), await made('Buyers')];
    const asCreator = { embedTenantName: 'acme', creatorMode: true };
    const { token, principal } = await open({ ...asCreator, tenantGroups: ['Planners', 'Buyers'] });
    expect(principal.embed).toMatchObject({ groupIds: [planners, buyers] });
    await sessions.generate({ ...asCreator, tenantGroups: ['Buyers'] });
    expect((await authenticate(token))?.embed).toMatchObject({ groupIds: [buyers] });
    expect((await principalOf({ externalId: 'bo', embedTenantName: 'acme' })).embed).toMatchObject({ groupIds: [] });
  });

  it('is that creators may do what Explorer may, on their deployment', async () => {
    const principal = await principalOf({ embedTenantName: 'acme', creatorMode: true });
    expect(principal.embed).toMatchObject({ isCreator: true });
    for (const action of ['AIBIExplore', 'DownloadData', 'PlaygroundRead', 'WorkbookEdit'] as const) {
      expect([action, hasAccess(principal, action, DEPLOYMENT)]).toEqual([action, true]);
    }
    expect(hasAccess(principal, 'PlaygroundRead', DEPLOYMENT + 1)).toBe(false);
    for (const action of ['AIBIDevelop', 'DeploymentUpdate', 'SchemaRead', 'All'] as const) {
      expect([action, hasAccess(principal, action)]).toEqual([action, false]);
    }
  });

  it('is that users of the account are themselves, on one deployment', async () => {
    const principal = await principalOf({ externalId: null, internalId: 'bob', embedTenantName: 'acme' });
    expect(principal).toMatchObject({
      userId: 8,
      userName: 'bob',
      email: 'bob@plinth.test',
      isAdmin: false,
      deploymentIds: [DEPLOYMENT],
      grants: [{ action: 'AIBIView', deploymentIds: null }],
      embed: { embedUserId: null, embedTenantName: 'acme', isCreator: false },
    });
    expect(await sessions.describe(principal)).toMatchObject({
      userId: 8,
      embedUserId: null,
      externalId: null,
      displayName: 'bob',
      email: 'bob@plinth.test',
      securityContext: { cubeCloud: { userId: 8 } },
    });
  });

  it('is all that the host application has said, and what queries run under', async () => {
    const principal = await principalOf({
      embedTenantName: 'acme',
      email: 'ada@acme.test',
      userProfile: { displayName: 'Ada' },
      branchName: 'dev-ada-1',
      roles: ['buyer'],
      securityContext: { plant: 7, cubeCloud: { groups: ['Legal'] } },
      settings: { locale: 'DE-at', timezone: 'Europe/Vienna', allowAi: false },
      embedTheme: { primaryColor: '#0f766e', font: null },
      publicDashboardId: 'q7XbT2mZk4Lw',
    });
    expect(await sessions.describe(principal)).toEqual({
      sessionId: principal.embed?.sessionId,
      deploymentId: DEPLOYMENT,
      embedTenantName: 'acme',
      embedUserId: principal.embed?.embedUserId,
      userId: null,
      externalId: 'ada',
      displayName: 'Ada',
      email: 'ada@acme.test',
      isCreator: false,
      publicDashboardId: 'q7XbT2mZk4Lw',
      securityContext: {
        plant: 7,
        cubeCloud: {
          username: 'ada',
          email: 'ada@acme.test',
          externalId: 'ada',
          embedTenantName: 'acme',
          groups: ['system:tenant:acme', 'all_embed_users'],
          roles: ['buyer'],
          userAttributes: {},
        },
      },
      settings: { locale: 'DE-at', timezone: 'Europe/Vienna', allowAi: false },
      theme: { primaryColor: '#0f766e', font: null },
      locale: 'de-AT',
      timeZone: 'Europe/Vienna',
      branchName: 'dev-ada-1',
      expiresAt: expect.any(String),
    });
  });

  it.each([
    { locale: 'no such language', timezone: 'Mars/Olympus' },
    { locale: '', timezone: '+02:00' },
    { locale: null, timezone: null },
  ])('is no language and no zone when %j was given', async (settings) => {
    expect(await sessions.describe(await principalOf({ settings }))).toMatchObject({ locale: null, timeZone: null });
  });

  it('is production for the branch of production', async () => {
    expect(await sessions.describe(await principalOf({ branchName: 'main' }))).toMatchObject({ branchName: null });
  });
});
