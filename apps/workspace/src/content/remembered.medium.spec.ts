import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { until } from '@plinth/testing';
import { put } from '../testing/content-fixture';
import { newEmbedUser } from '../testing/embed-surroundings';
import { startWorkspace, transports, type WorkspaceFixture } from '../testing/workspace-fixture';

/** Milliseconds; the setting takes no more. */
const LONGEST = '900';

describe.each(transports)('what the control plane has said, on %s', (transport) => {
  let workspace: WorkspaceFixture;
  let owner: Principal & { userId: number };
  let reader: Principal & { userId: number };
  let where: { tenantId: number; deploymentId: number };
  let id: number;

  beforeAll(async () => {
    workspace = await startWorkspace(transport, { settings: { PLINTH_CREDENTIAL_CACHE_MS: LONGEST } });
  });
  afterAll(() => workspace?.stop());
  beforeEach(async () => {
    const { tenantId, deploymentId } = workspace.newTenant();
    where = { tenantId, deploymentId };
    [owner, reader] = [workspace.newUser(where.tenantId), workspace.newUser(where.tenantId)];
    id = await put(workspace.database, where, 'REPORT', { owner, name: 'Revenue' });
    workspace.policies.set(reader.userId, [{ resourceType: 'Report', resourceId: id, level: 'read' }]);
    await get();
  });

  const request = (deploymentId = where.deploymentId) => ({ path: { deploymentId, reportId: id } });
  const get = () => workspace.call(reader, 'getReport', request());
  const codeOf = async () => (await workspace.refusal(reader, 'getReport', request())).code;

  it('is not said anew after a notice that rights have changed', async () => {
    workspace.policies.delete(reader.userId);
    await workspace.notice('control-plane.credential.changed', where.tenantId);
    expect(await codeOf()).toBe('report.not_found');
  });

  it('is not believed for a second, also when the notice is lost', async () => {
    workspace.policies.delete(reader.userId);
    await until(
      'the right is gone',
      () => get().then(String, ({ code }: { code: string }) => code),
      (code) => code === 'report.not_found',
      1_000,
    );
  });

  it('is not about others: neither users, nor deployments, nor tenants', async () => {
    const stranger = workspace.newUser(where.tenantId);
    const elsewhere = workspace.newTenant();
    expect(await workspace.refusal(stranger, 'getReport', request())).toMatchObject({ code: 'report.not_found' });
    expect(await workspace.refusal(reader, 'getReport', request(elsewhere.deploymentId))).toMatchObject({
      code: 'deployment.not_found',
    });
    const foreign = { ...reader, tenantId: elsewhere.tenantId };
    expect(await workspace.refusal(foreign, 'getReport', request())).toMatchObject({ code: 'deployment.not_found' });
    expect(await workspace.refusal({ ...foreign, isAdmin: true }, 'getReport', request())).toMatchObject({
      code: 'deployment.not_found',
    });
  });

  it('of a user is not about the embed user whose number is the same, who may go alone', async () => {
    const embedded = newEmbedUser(workspace, where, { embedTenantName: 'acme' });
    const { embedUserId } = embedded.embed;
    workspace.people.set(embedUserId, {
      id: embedUserId,
      email: 'grace@example.com',
      firstName: 'Grace',
      picture: null,
    });
    const theirs = await put(workspace.database, where, 'REPORT', { owner: { ...owner, userId: embedUserId } });
    const ofEmbedUser = await put(workspace.database, where, 'REPORT', { owner: embedded });
    const admin = { ...owner, isAdmin: true };
    const nameOf = async (reportId: number) =>
      (await workspace.call(admin, 'getReport', { path: { ...request().path, reportId } })).user?.firstName;
    expect([await nameOf(theirs), await nameOf(ofEmbedUser)]).toEqual(['Grace', 'Ada']);
    workspace.embedPeople.delete(embedUserId);
    await workspace.notice('embed.session.changed', where.tenantId);
    expect([await nameOf(theirs), await nameOf(ofEmbedUser)]).toEqual(['Grace', null]);
  });

  it('is not said of a deployment that is gone', async () => {
    workspace.deployments.delete(where.deploymentId);
    await workspace.notice('control-plane.deployment.changed', where.tenantId);
    expect(await codeOf()).toBe('deployment.not_found');
  });

  it('is asked once, however many ask for the same person, and anew after a notice', async () => {
    let asked = 0;
    workspace.beforePeople = async () => void (asked += 1);
    await workspace.notice('control-plane.credential.changed', where.tenantId);
    await Promise.all(Array.from({ length: 8 }, get));
    expect(asked).toBe(1);
    workspace.people.set(owner.userId, { id: owner.userId, email: 'new@example.com', firstName: 'New', picture: null });
    await workspace.notice('control-plane.credential.changed', where.tenantId);
    expect(await get()).toMatchObject({ user: { firstName: 'New' } });
    expect(asked).toBe(2);
  });
});
