import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { systemPrincipal, type Principal } from '@plinth/auth';
import { startAgents, viewerOf, type AgentsFixture } from '../testing/agents-fixture';

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

  it('are changed by those alone who may change the deployment', async () => {
    const { id } = await create({ name: 'Sales' });
    const viewer = viewerOf(admin);
    const denied = { status: 403, code: 'access.denied' };
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
