import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { systemPrincipal, type Principal } from '@plinth/auth';
import { explorerOf, grantsOf, startAgents, viewerOf, type AgentsFixture } from '../testing/agents-fixture';

describe('agents of a deployment', () => {
  let platform: AgentsFixture;
  let admin: Principal;
  let deploymentId: number;

  beforeAll(async () => {
    platform = await startAgents();
  });
  afterAll(() => platform?.stop());
  beforeEach(() => {
    ({ admin, deploymentId } = platform.newAccount());
  });

  const list = async (query: object = {}, who = admin) =>
    (await platform.call(who, 'listAgents', { path: { deploymentId }, query })).items;
  const create = (body: object) => platform.call(admin, 'createAgent', { path: { deploymentId }, body });
  const at = (agentId: number) => ({ deploymentId, agentId });

  it('are not there where the deployment is not, nor for another account', async () => {
    const { id } = await create({ name: 'Sales' });
    const { admin: stranger, deploymentId: theirs } = platform.newAccount();
    const none = { status: 404, code: 'deployment.not_found' };
    expect(await platform.refusal(stranger, 'listAgents', { path: { deploymentId } })).toEqual(none);
    const unknown = { status: 404, code: 'agent.not_found' };
    for (const operationId of ['getAgent', 'deleteAgent'] as const) {
      const path = { deploymentId: theirs, agentId: id };
      expect(await platform.refusal(stranger, operationId, { path })).toEqual(unknown);
    }
  });

  const may = (who: Principal, ...policies: { agentId: number | null; level: 'read' | 'manage' }[]) =>
    platform.surroundings.agentPolicies.set(who.userId ?? 0, policies);
  const denied = { status: 403, code: 'access.denied' };
  const unseen = { status: 404, code: 'agent.not_found' };

  it('are not there for somebody whom no action and no policy gives them', async () => {
    const { id } = await create({ name: 'Sales' });
    const explorer = explorerOf(admin);
    may(explorer);
    expect(await list({}, explorer)).toEqual([]);
    for (const operationId of ['getAgent', 'deleteAgent'] as const) {
      expect(await platform.refusal(explorer, operationId, { path: at(id) })).toEqual(unseen);
    }
    const ask = { path: { accountName: admin.tenantName, agentId: id }, body: { input: 'x' } };
    expect(await platform.refusal(explorer, 'streamChatState', ask)).toEqual(unseen);
  });

  it('are not changed by whoever may change the deployment, but not them', async () => {
    const { id } = await create({ name: 'Sales' });
    const owner = { ...explorerOf(admin), grants: [...viewerOf(admin).grants, ...grantsOf('DeploymentUpdate')] };
    may(owner);
    expect(await platform.refusal(owner, 'updateAgent', { path: at(id), body: { name: 'x' } })).toEqual(denied);
  });

  it('are read and managed one by one by whoever a policy gives them', async () => {
    const [{ id: read }, { id: managed }] = [await create({ name: 'a' }), await create({ name: 'b' })];
    const explorer = explorerOf(admin);
    may(explorer, { agentId: read, level: 'read' }, { agentId: managed, level: 'manage' });
    expect((await list({}, explorer)).map(({ name }) => name)).toEqual(['a', 'b']);
    const body = { instructions: 'x' };
    expect(await platform.refusal(explorer, 'updateAgent', { path: at(read), body })).toEqual(denied);
    expect(await platform.refusal(explorer, 'createAgent', { path: { deploymentId }, body: { name: 'c' } })).toEqual(
      denied,
    );
    await platform.call(explorer, 'updateAgent', { path: at(managed), body });
    const closed = { ...explorer, grants: grantsOf('AIBIView', 'AIBIExplore') };
    expect(await platform.refusal(closed, 'getAgent', { path: at(read) })).toEqual(denied);
    may(explorer, { agentId: null, level: 'manage' });
    await platform.call(explorer, 'createAgent', { path: { deploymentId }, body: { name: 'c' } });
    expect(await list({}, explorer)).toHaveLength(4);
  });

  it.each(['All', 'AgentManage'])('are managed by whoever has %s on their deployment', async (action) => {
    const { id } = await create({ name: 'Sales' });
    const developer = { ...explorerOf(admin), grants: grantsOf('AIBIExplore', 'DeploymentRead', action) };
    await platform.call(developer, 'updateAgent', { path: at(id), body: { name: 'Marketing' } });
    await platform.call(developer, 'createAgent', { path: { deploymentId }, body: { name: 'Other' } });
    const elsewhere = { action, deploymentIds: [deploymentId + 1] };
    const stranger = { ...developer, grants: [...grantsOf('AIBIExplore', 'DeploymentRead'), elsewhere] };
    may(stranger);
    expect(await platform.refusal(stranger, 'deleteAgent', { path: at(id) })).toEqual(unseen);
  });

  it('are not changed by somebody who may ask them', async () => {
    const { id } = await create({ name: 'Sales' });
    const viewer = viewerOf(admin);
    expect(await platform.refusal(viewer, 'createAgent', { path: { deploymentId }, body: { name: 'x' } })).toEqual(
      denied,
    );
    expect(await platform.refusal(viewer, 'updateAgent', { path: at(id), body: { name: 'x' } })).toEqual(denied);
    expect(await platform.refusal(viewer, 'deleteAgent', { path: at(id) })).toEqual(denied);
    expect((await list({}, viewer)).map(({ name }) => name)).toEqual(['Auto', 'Sales']);
  });

  it('have names of their own in the deployment, whatever the case', async () => {
    const { id } = await create({ name: ' Sales ' });
    const taken = { status: 409, code: 'agent.name_taken' };
    const body = { name: 'sALES' };
    expect(await platform.refusal(admin, 'createAgent', { path: { deploymentId }, body })).toEqual(taken);
    const [auto] = await list();
    expect(await platform.refusal(admin, 'updateAgent', { path: at(auto?.id ?? 0), body })).toEqual(taken);
    expect(await platform.call(admin, 'updateAgent', { path: at(id), body })).toMatchObject(body);
  });

  it('have one among them from the start, which cannot be deleted, and is one for all who ask at once', async () => {
    const lists = await Promise.all(Array.from({ length: 20 }, () => list()));
    const found = lists.map((each) => each.map(({ id }) => id));
    expect(new Set(found.flat()).size).toBe(1);
    const [auto] = lists[0] ?? [];
    expect(auto).toMatchObject({
      isAutomatic: true,
      agentConfigName: 'auto',
      agentSpace: { name: expect.any(String) },
    });
    const refusal = await platform.refusal(admin, 'deleteAgent', { path: at(auto?.id ?? 0) });
    expect(refusal).toEqual({ status: 409, code: 'agent.automatic' });
  });

  it('keep what an update does not name', async () => {
    const fields = { instructions: 'In euros.', model: 'large-1', views: ['orders_view'], allowEmbedding: true };
    const { id } = await create({ name: 'Sales', ...fields });
    const changed = await platform.call(admin, 'updateAgent', { path: at(id), body: { views: null } });
    expect(changed).toMatchObject({ name: 'Sales', ...fields, views: null });
    expect(await platform.call(admin, 'getAgent', { path: at(id) })).toEqual(changed);
    expect(changed.chatUrl).toBe(
      `https://acme.test/api/v1/public/${admin.tenantName}/agents/${id}/chat/stream-chat-state`,
    );
  });

  it('are listed page by page, and by whether host applications may offer them', async () => {
    for (const name of ['a', 'b']) await create({ name, allowEmbedding: name === 'b' });
    const page = await platform.call(admin, 'listAgents', { path: { deploymentId }, query: { first: 2 } });
    expect(page.items.map(({ name }) => name)).toEqual(['Auto', 'a']);
    expect((await list({ first: 2, after: page.pageInfo.endCursor })).map(({ name }) => name)).toEqual(['b']);
    expect((await list({ allowEmbedding: true })).map(({ name }) => name)).toEqual(['b']);
    expect((await list({ allowEmbedding: false })).map(({ name }) => name)).toEqual(['Auto', 'a']);
  });

  it('are gone when they are deleted, and with their deployment', async () => {
    const { id } = await create({ name: 'Sales' });
    await platform.call(admin, 'deleteAgent', { path: at(id) });
    expect(await platform.refusal(admin, 'getAgent', { path: at(id) })).toMatchObject({ status: 404 });
    const { id: other } = await create({ name: 'Sales' });
    const { tenantId } = admin;
    const events = [{ eventId: randomUUID(), type: 'deployment.deleted', payload: { deploymentId } }];
    await platform.call(systemPrincipal(tenantId), 'deliverEventsToAgents', { body: { tenantId, events } });
    expect(await platform.refusal(admin, 'getAgent', { path: at(other) })).toMatchObject({ status: 404 });
  });

  it('leave an event that this build does not know with its sender', async () => {
    const { tenantId } = admin;
    const events = [{ eventId: randomUUID(), type: 'deployment.renamed', payload: { deploymentId } }];
    const refusal = await platform.refusal(systemPrincipal(tenantId), 'deliverEventsToAgents', {
      body: { tenantId, events },
    });
    expect(refusal).toEqual({ status: 503, code: 'service.unavailable' });
  });
});
