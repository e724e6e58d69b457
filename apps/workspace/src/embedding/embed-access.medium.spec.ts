import 'reflect-metadata';
import { newEmbedUser } from '../testing/embed-surroundings';
import { put } from '../testing/content-fixture';
import { putDashboard } from '../testing/dashboard-content';
import { startWorkspace, transports, type WorkspaceFixture } from '../testing/workspace-fixture';

describe.each(transports)('who sees content embedded, by %s', (transport) => {
  let workspace: WorkspaceFixture;
  let tenant: ReturnType<WorkspaceFixture['newTenant']>;
  let workbookId: number;
  let publicId: string;

  beforeAll(async () => {
    workspace = await startWorkspace(transport);
  });
  afterAll(() => workspace?.stop());
  beforeEach(async () => {
    tenant = workspace.newTenant();
    workspace.embedTenants.set(`${tenant.tenantId}/acme`, 31).set(`${tenant.tenantId}/globex`, 32);
    ({ workbookId, publicId } = await putDashboard(workspace.database, tenant));
  });

  const path = () => ({ deploymentId: tenant.deploymentId, workbookId });
  const share = (body: object, principal = tenant.admin) =>
    workspace.call(principal, 'updateEmbedAccess', { path: path(), body });
  const refusal = (body: object | undefined, principal = tenant.admin) =>
    workspace.refusal(principal, 'updateEmbedAccess', { path: path(), body });
  const nobody = { enabled: false, action: 'none', groupId: 1 };

  it.each([
    ['nothing', {}],
    ['two audiences', { embedTenantName: 'acme', allEmbedUsers: true, action: 'read' }],
    ['an audience without an action', { embedTenantName: 'acme' }],
    ['an action without an audience', { action: 'read' }],
    ['an action without an audience, beside a switch', { allEmbedUsers: false, action: 'none', allowEmbed: true }],
  ])('is not changed by a request that says %s', async (_what, body) => {
    expect(await refusal(body)).toEqual({ status: 400, code: 'request.invalid' });
  });

  it('is not changed for an embed tenant that is not there, nor by a switch without a dashboard', async () => {
    expect(await refusal({ embedTenantName: 'nobody', action: 'read' })).toMatchObject({
      status: 404,
      code: 'embed_tenant.not_found',
    });
    workbookId = await put(workspace.database, tenant, 'WORKBOOK');
    const unpublished = { status: 400, code: 'dashboard.not_published' };
    expect(await refusal({ embedTenantName: 'acme', action: 'read', allowEmbed: true })).toEqual(unpublished);
    expect(await workspace.call(tenant.admin, 'getEmbedAccess', { path: path() })).toMatchObject({ tenants: [] });
  });

  it('is for those who manage the workbook to change, and for those who read it to see', async () => {
    const user = workspace.newUser(tenant.tenantId);
    const policy = { resourceType: 'Workbook' as const, resourceId: workbookId };
    expect(await refusal({ allowEmbed: true }, user)).toMatchObject({ status: 404 });
    workspace.policies.set(user.userId, [{ ...policy, level: 'edit' }]);
    expect(await refusal({ allowEmbed: true }, user)).toMatchObject({ status: 403 });
    expect(await workspace.call(user, 'getEmbedAccess', { path: path() })).toMatchObject({ allowEmbed: false });
    workspace.policies.set(user.userId, [{ ...policy, level: 'manage' }]);
    expect(await share({ allowEmbed: true }, user)).toMatchObject({ allowEmbed: true });
  });

  it('is nobody while the account has switched embedding off', async () => {
    workspace.tenantsWithoutEmbedding.add(tenant.tenantId);
    const off = { status: 403, code: 'embedding.off' };
    expect(await refusal({ allowEmbed: true })).toEqual(off);
    expect(await workspace.refusal(tenant.admin, 'getEmbedAccess', { path: path() })).toEqual(off);
    expect(await workspace.refusal(tenant.admin, 'getDashboard', { path: { publicId } })).toEqual(off);
  });

  it('is an embed tenant or everybody, until that is taken back; again is no fault', async () => {
    const acme = { embedTenantName: 'acme', groupId: 131, action: 'read' };
    for (let time = 0; time < 2; time += 1) {
      expect(await share({ embedTenantName: 'ACME', action: 'read' })).toEqual({
        allowEmbed: false,
        allEmbedUsers: nobody,
        tenants: [acme],
      });
    }
    const everybody = { enabled: true, action: 'read', groupId: 1 };
    expect(await share({ allEmbedUsers: true, action: 'read', allowEmbed: true })).toEqual({
      allowEmbed: true,
      allEmbedUsers: everybody,
      tenants: [acme],
    });
    await share({ embedTenantName: 'acme', action: 'none' });
    await share({ embedTenantName: 'acme', action: 'none' });
    expect(await workspace.call(tenant.admin, 'getEmbedAccess', { path: path() })).toEqual({
      allowEmbed: true,
      allEmbedUsers: everybody,
      tenants: [],
    });
  });

  it('is listed by why an embed tenant sees a workbook, page by page', async () => {
    const folder = await put(workspace.database, tenant, 'FOLDER');
    const inner = await put(workspace.database, tenant, 'FOLDER', { parent: folder });
    const inFolder = await put(workspace.database, tenant, 'WORKBOOK', { parent: inner });
    const everyones = await put(workspace.database, tenant, 'WORKBOOK');
    await put(workspace.database, tenant, 'WORKBOOK');
    const { deploymentId } = tenant;
    await share({ embedTenantName: 'acme', action: 'read' });
    const body = { embedTenantName: 'acme', action: 'read' };
    await workspace.call(tenant.admin, 'updateFolderEmbedAccess', { path: { deploymentId, folderId: folder }, body });
    const all = { allEmbedUsers: true, action: 'read' };
    await workspace.call(tenant.admin, 'updateEmbedAccess', {
      path: { deploymentId, workbookId: everyones },
      body: all,
    });
    const list = async (embedTenantName: string, query: object) => {
      const request = { path: { deploymentId, embedTenantName }, query };
      return (await workspace.call(tenant.admin, 'listEmbedTenantWorkbooks', request)).items.map(({ id }) => id);
    };
    expect(await list('acme', { accessSource: 'tenant' })).toEqual([workbookId]);
    expect(await list('acme', { accessSource: 'allEmbedUsers' })).toEqual([everyones]);
    expect(await list('acme', { accessSource: 'folder' })).toEqual([inFolder]);
    expect(await list('Acme', {})).toEqual([workbookId, inFolder, everyones]);
    expect(await list('globex', {})).toEqual([everyones]);
    const request = { path: { deploymentId, embedTenantName: 'acme' }, query: { first: 2 } };
    const { pageInfo } = await workspace.call(tenant.admin, 'listEmbedTenantWorkbooks', request);
    expect(await list('acme', { after: pageInfo.endCursor })).toEqual([everyones]);
    const unknown = { path: { deploymentId, embedTenantName: 'nobody' } };
    const outcome = await workspace.refusal(tenant.admin, 'listEmbedTenantWorkbooks', unknown);
    expect(outcome).toEqual({ status: 404, code: 'embed_tenant.not_found' });
    const user = workspace.newUser(tenant.tenantId);
    expect(await workspace.refusal(user, 'listEmbedTenantWorkbooks', request)).toMatchObject({ status: 403 });
  });

  it('is told to nobody of another account', async () => {
    const stranger = workspace.newTenant();
    expect(await workspace.refusal(stranger.admin, 'getEmbedAccess', { path: path() })).toMatchObject({ status: 404 });
    expect(await refusal({ allowEmbed: true }, stranger.admin)).toMatchObject({ status: 404 });
    expect(await workspace.refusal(stranger.admin, 'getDashboard', { path: { publicId } })).toMatchObject({
      status: 404,
    });
    const body = { allowEmbed: true };
    const request = { path: { publicId }, body };
    expect(await workspace.refusal(stranger.admin, 'updateDashboardEmbedding', request)).toMatchObject({ status: 404 });
  });

  describe('of dashboards', () => {
    const get = (principal = tenant.admin) => workspace.call(principal, 'getDashboard', { path: { publicId } });
    const viewer = (embedTenantName: string | null = 'acme', isCreator = false) =>
      newEmbedUser(workspace, tenant, { embedTenantName, isCreator });
    const notFound = { status: 404, code: 'dashboard.not_found' };
    const refused = async (principal: ReturnType<typeof viewer>) => {
      const one = await workspace.refusal(principal, 'getDashboard', { path: { publicId } });
      expect(await workspace.refusal(principal, 'describeEmbeddedDashboard', { body: { publicId } })).toEqual(one);
      expect(await workspace.refusal(principal, 'getDashboardData', { path: path(), body: {} })).toEqual(one);
      return one;
    };

    it('is no embed user with whom they are not shared, whatever may be embedded', async () => {
      await share({ embedTenantName: 'globex', action: 'read', allowEmbed: true });
      expect(await refused(viewer())).toEqual(notFound);
      expect(await refused(viewer('acme', true))).toEqual(notFound);
      expect(await refused(viewer(null))).toEqual(notFound);
    });

    it('is no session of signed embedding while they may not be embedded, but every one in creator mode', async () => {
      await share({ embedTenantName: 'acme', action: 'read' });
      expect(await refused(viewer())).toEqual({ status: 403, code: 'dashboard.not_embeddable' });
      expect(await get(viewer('acme', true))).toMatchObject({ publicId, fromSharedWorkspace: true });
      await workspace.call(tenant.admin, 'updateDashboardEmbedding', {
        path: { publicId },
        body: { allowEmbed: true },
      });
      expect(await get(viewer())).toMatchObject({ publicId, allowEmbed: true, createdBy: null });
    });

    it('is no session that is for another dashboard, and one that is for it sees nothing else', async () => {
      await share({ embedTenantName: 'acme', action: 'read', allowEmbed: true });
      const only = (publicDashboardId: string, by = viewer('acme', true)) => ({
        ...by,
        embed: { ...by.embed, publicDashboardId },
      });
      expect(await refused(only('another'))).toEqual(notFound);
      const session = only(publicId);
      expect(await get(session)).toMatchObject({ publicId });
      const denied = { status: 403, code: 'access.denied' };
      const { deploymentId } = path();
      for (const operationId of ['sharedWorkspaceObjects', 'workspaceObjects', 'getWorkbooks'] as const)
        expect(await workspace.refusal(session, operationId, { path: { deploymentId } })).toEqual(denied);
      const copy = { path: path(), body: { shared: true } };
      expect(await workspace.refusal(session, 'duplicateWorkbook', copy)).toEqual(denied);
    });

    it('is everybody when they are shared with all embed users, whatever may be embedded', async () => {
      await share({ allEmbedUsers: true, action: 'read' });
      expect(await get(viewer(null))).toMatchObject({ publicId, allowEmbed: false, restrictDataDownload: false });
      const other = workspace.newTenant();
      workspace.deployments.set(other.deploymentId, { tenantId: tenant.tenantId });
      const elsewhere = newEmbedUser(
        workspace,
        { ...tenant, deploymentId: other.deploymentId },
        { embedTenantName: null },
      );
      expect(await workspace.refusal(elsewhere, 'getDashboard', { path: { publicId } })).toEqual(notFound);
    });

    it('is whoever sees a folder around them', async () => {
      const folderId = await put(workspace.database, tenant, 'FOLDER');
      const { deploymentId } = tenant;
      const body = { type: 'WORKBOOK', id: workbookId, folderId };
      await workspace.call(tenant.admin, 'moveWorkspaceObject', { path: { deploymentId }, body });
      const everybody = { path: { deploymentId, folderId }, body: { allEmbedUsers: true, action: 'read' } };
      await workspace.call(tenant.admin, 'updateFolderEmbedAccess', everybody);
      expect(await get(viewer())).toMatchObject({ publicId });
      const nobodyAnyMore = { path: { deploymentId, folderId }, body: { allEmbedUsers: true, action: 'none' } };
      await workspace.call(tenant.admin, 'updateFolderEmbedAccess', nobodyAnyMore);
      expect(await refused(viewer())).toEqual(notFound);
    });

    it('is a user of the account who may read the workbook, in whatever session', async () => {
      const user = workspace.newUser(tenant.tenantId);
      expect(await workspace.refusal(user, 'getDashboard', { path: { publicId } })).toEqual(notFound);
      workspace.policies.set(user.userId, [{ resourceType: 'Workbook', resourceId: workbookId, level: 'read' }]);
      expect(await get(user)).toMatchObject({ publicId, fromSharedWorkspace: false });
      const session = { ...viewer().embed, embedUserId: null };
      const embedded = {
        ...user,
        kind: 'embed-session' as const,
        embed: session,
        deploymentIds: [tenant.deploymentId],
      };
      expect(await workspace.refusal(embedded, 'getDashboard', { path: { publicId } })).toMatchObject({ status: 403 });
    });

    it('is told to a service that asks on behalf of a viewer', async () => {
      await share({ allEmbedUsers: true, action: 'read' });
      const asked = workspace.call(viewer(), 'describeEmbeddedDashboard', { body: { publicId } });
      expect(await asked).toMatchObject({ publicId, workbookId, deploymentId: tenant.deploymentId, title: 'Orders' });
    });
  });
});
