import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { systemPrincipal } from '@plinth/auth';
import { put } from '../testing/content-fixture';
import { startWorkspace, transports, type WorkspaceFixture } from '../testing/workspace-fixture';

describe.each(transports)('events of deployments over %s', (transport) => {
  let workspace: WorkspaceFixture;
  let tenant: ReturnType<WorkspaceFixture['newTenant']>;

  beforeAll(async () => {
    workspace = await startWorkspace(transport);
  });
  afterAll(() => workspace?.stop());
  beforeEach(async () => {
    tenant = workspace.newTenant();
    const folder = await put(workspace.database, tenant, 'FOLDER');
    const workbook = await put(workspace.database, tenant, 'WORKBOOK', { parent: folder });
    await put(workspace.database, tenant, 'REPORT', { parent: workbook });
  });

  const bodyOf = (type: string, deploymentId: number, eventId: string = randomUUID()) => ({
    tenantId: tenant.tenantId,
    events: [{ eventId, type, payload: { deploymentId } }],
  });
  const deliver = (type: string, deploymentId: number, eventId?: string) =>
    workspace.call(systemPrincipal(tenant.tenantId), 'deliverEventsToWorkspace', {
      body: bodyOf(type, deploymentId, eventId),
    });
  const count = async (deploymentId = tenant.deploymentId): Promise<number> => {
    const path = { deploymentId };
    return (await workspace.call(tenant.admin, 'workspaceObjects', { path, query: { search: 'o' } })).items.length;
  };

  it('are for the platform alone to deliver', async () => {
    const body = bodyOf('deployment.deleted', tenant.deploymentId);
    expect(await workspace.refusal(tenant.admin, 'deliverEventsToWorkspace', { body })).toMatchObject({ status: 403 });
    expect(await count()).toBe(2);
  });

  it('that this build does not know stay with their sender', async () => {
    const body = bodyOf('deployment.renamed', tenant.deploymentId);
    const refusal = await workspace.refusal(systemPrincipal(tenant.tenantId), 'deliverEventsToWorkspace', { body });
    expect(refusal).toEqual({ status: 503, code: 'service.unavailable' });
  });

  it('take the content of a deployment with it, nobody else their content, and nothing when they come again', async () => {
    const { deploymentId } = workspace.newTenant();
    workspace.deployments.set(deploymentId, { tenantId: tenant.tenantId });
    await put(workspace.database, { ...tenant, deploymentId }, 'FOLDER');
    const eventId = randomUUID();
    await deliver('deployment.deleted', tenant.deploymentId, eventId);
    expect([await count(), await count(deploymentId)]).toEqual([0, 1]);
    await put(workspace.database, tenant, 'FOLDER');
    await deliver('deployment.deleted', tenant.deploymentId, eventId);
    expect(await count()).toBe(1);
  });
});
