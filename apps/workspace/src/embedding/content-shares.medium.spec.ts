import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { newEmbedUser } from '../testing/embed-surroundings';
import { grant, put } from '../testing/content-fixture';
import { startWorkspace, type WorkspaceFixture } from '../testing/workspace-fixture';

type EmbedUser = ReturnType<typeof newEmbedUser>;

const [PLANNERS, BUYERS, OTHERS] = [71, 72, 73];
const notFound = { status: 404, code: 'workbook.not_found' };

describe('content that embed users share with colleagues', () => {
  let workspace: WorkspaceFixture;
  let tenant: ReturnType<WorkspaceFixture['newTenant']>;
  let ada: EmbedUser, planner: EmbedUser, buyer: EmbedUser, stranger: EmbedUser;
  let workbookId: number;

  beforeAll(async () => {
    workspace = await startWorkspace('in-process');
  });
  afterAll(() => workspace?.stop());
  beforeEach(async () => {
    tenant = workspace.newTenant();
    const creator = (embedTenantName: string | null, ...groupIds: number[]) =>
      newEmbedUser(workspace, tenant, { embedTenantName, groupIds, isCreator: true });
    [ada, planner] = [creator('acme'), creator('acme', PLANNERS)];
    [buyer, stranger] = [creator('acme', BUYERS), creator('globex', OTHERS)];
    workbookId = (await workspace.call(ada, 'createWorkbook', { path: deployment(), body: { name: 'Plan' } })).id;
  });

  const deployment = () => ({ deploymentId: tenant.deploymentId });
  const idOf = (who: EmbedUser) => who.embed.embedUserId;
  const request = (body: object) => ({
    path: deployment(),
    body: { type: 'WORKBOOK', id: workbookId, action: 'read', ...body },
  });
  const share = (body: object, who: Principal = ada) => workspace.call(who, 'updateContentShares', request(body));
  const refusal = (body: object, who: Principal = ada) => workspace.refusal(who, 'updateContentShares', request(body));
  const reading = (who: Principal, id = workbookId) => {
    const path = { ...deployment(), workbookId: id };
    return workspace.call(who, 'getWorkbook', { path }).then(
      () => 'read',
      ({ status, code }: { status: number; code: string }) => ({ status, code }),
    );
  };

  it('is shared with no group and no user of another embed tenant, whoever tries, nor with one that is not there', async () => {
    for (const who of [ada, tenant.admin]) {
      for (const [target, code] of [
        [{ groupId: OTHERS }, 'embed_group.not_found'],
        [{ groupId: 999 }, 'embed_group.not_found'],
        [{ embedUserId: idOf(stranger) }, 'embed_user.not_found'],
        [{ embedUserId: tenant.admin.userId }, 'embed_user.not_found'],
      ] as const) {
        expect(await refusal(target, who)).toEqual({ status: 404, code });
      }
    }
    expect(await reading(stranger)).toEqual(notFound);
  });

  it('is shared with one group or one user at a time: 400 otherwise', async () => {
    for (const target of [{}, { groupId: PLANNERS, embedUserId: idOf(buyer) }, { groupId: null }]) {
      expect(await refusal(target)).toEqual({ status: 400, code: 'request.invalid' });
    }
  });

  it('is shared by who may manage it alone: those who read it are refused, and for others it is not there', async () => {
    await share({ groupId: PLANNERS });
    const query = { type: 'WORKBOOK', id: workbookId };
    for (const [who, status] of [
      [planner, 403],
      [buyer, 404],
      [stranger, 404],
    ] as const) {
      expect(await refusal({ embedUserId: idOf(who) }, who)).toMatchObject({ status });
      const shown = { path: deployment(), query };
      expect(await workspace.refusal(who, 'getContentShares', shown)).toMatchObject({ status });
    }
    const explorer = workspace.newUser(tenant.tenantId);
    grant(workspace, explorer, ['WORKBOOK', null, 'manage']);
    expect(await refusal({ groupId: PLANNERS }, explorer)).toMatchObject({ status: 404 });
  });

  it('is not content of the host, nor of users of no embed tenant: 409', async () => {
    const hosts = await put(workspace.database, tenant, 'WORKBOOK', { owner: tenant.admin });
    const refused = { status: 409, code: 'content.not_of_embed_tenant' };
    expect(await refusal({ id: hosts, groupId: PLANNERS }, tenant.admin)).toEqual(refused);
    const alone = newEmbedUser(workspace, tenant, { embedTenantName: null, isCreator: true });
    const own = await workspace.call(alone, 'createWorkbook', { path: deployment(), body: { name: 'Own' } });
    expect(await refusal({ id: own.id, embedUserId: idOf(alone) }, alone)).toEqual(refused);
  });

  it('is read by the members of a group and by nobody else, until that is ended', async () => {
    const shares = await share({ groupId: PLANNERS });
    expect(shares).toEqual({ groups: [{ id: PLANNERS, name: `group-${PLANNERS}` }], users: [] });
    expect(await share({ groupId: PLANNERS })).toEqual(shares);
    expect([await reading(planner), await reading(buyer), await reading(stranger)]).toEqual([
      'read',
      notFound,
      notFound,
    ]);
    const { items } = await workspace.call(planner, 'workspaceObjects', { path: deployment(), query: {} });
    expect(items).toMatchObject([{ id: workbookId, user: { id: idOf(ada) } }]);
    const rename = { path: { ...deployment(), workbookId }, body: { name: 'Theirs' } };
    expect(await workspace.refusal(planner, 'updateWorkbook', rename)).toMatchObject({ status: 403 });
    expect(await share({ groupId: PLANNERS, action: 'none' })).toEqual({ groups: [], users: [] });
    expect(await reading(planner)).toEqual(notFound);
  });

  it('is read by one colleague, with everything that lies in it', async () => {
    const path = deployment();
    const folder = await workspace.call(ada, 'createFolder', { path, body: { name: 'Plans' } });
    const body = { name: 'Within', folderId: folder.id };
    const { id: within } = await workspace.call(ada, 'createWorkbook', { path, body });
    await share({ type: 'FOLDER', id: folder.id, embedUserId: idOf(buyer) });
    expect([await reading(buyer, within), await reading(planner, within), await reading(buyer)]).toEqual([
      'read',
      notFound,
      notFound,
    ]);
    const query = { type: 'FOLDER', id: folder.id };
    for (const who of [ada, tenant.admin]) {
      const { users } = await workspace.call(who, 'getContentShares', { path, query });
      expect(users).toEqual([{ id: idOf(buyer), username: `user-${idOf(buyer)}`, email: null, firstName: null }]);
    }
  });

  it('is in no list of a whole embed tenant, and a plain embed user opens it as a dashboard', async () => {
    const { publicId } = await workspace.call(ada, 'publishDashboard', {
      path: { ...deployment(), workbookId },
      body: { workbookId, config: { widgets: [] }, allowEmbed: true },
    });
    await share({ groupId: PLANNERS });
    const plain = (groupId: number) =>
      newEmbedUser(workspace, tenant, { embedTenantName: 'acme', groupIds: [groupId] });
    const [member, other] = [plain(PLANNERS), plain(BUYERS)];
    const shared = await workspace.call(member, 'sharedWorkspaceObjects', { path: deployment(), query: {} });
    expect(shared.items).toEqual([]);
    expect(await workspace.call(member, 'getDashboard', { path: { publicId } })).toMatchObject({ publicId });
    const outcome = await workspace.refusal(other, 'getDashboard', { path: { publicId } });
    expect(outcome).toEqual({ status: 404, code: 'dashboard.not_found' });
  });

  it('is shared 200 times at most: 409; a group that is gone leaves room for another', async () => {
    const known = workspace.colleagues.get(`${tenant.tenantId}/acme`);
    for (let id = 1; id <= 201; id += 1) known?.groups.set(id, `group-${id}`);
    await workspace.database.run(
      tenant.tenantId,
      {
        name: '',
        text: `insert into content_share (tenant_id, deployment_id, item_id, group_id)
               select $1, $2, $3, generate_series(1, 200)`,
      },
      [tenant.tenantId, tenant.deploymentId, workbookId],
    );
    expect(await refusal({ groupId: 201 })).toEqual({ status: 409, code: 'content.too_many_shares' });
    known?.groups.delete(7);
    const query = { type: 'WORKBOOK', id: workbookId };
    const { groups } = await workspace.call(ada, 'getContentShares', { path: deployment(), query });
    expect(groups).toHaveLength(199);
    expect((await share({ groupId: 201 })).groups).toHaveLength(200);
    expect(await refusal({ groupId: 7 })).toEqual({ status: 404, code: 'embed_group.not_found' });
  });
});
