import 'reflect-metadata';
import { anonymousPrincipal } from '@plinth/auth';
import { managerFor } from '@plinth/database';
import { startSmtpServer, until, type Refusal, type SmtpServer } from '@plinth/testing';
import { putDashboard } from '../testing/dashboard-content';
import { startWorkspace, type WorkspaceFixture } from '../testing/workspace-fixture';

describe('notifications', () => {
  let workspace: WorkspaceFixture;
  let smtp: SmtpServer;
  let tenant: ReturnType<WorkspaceFixture['newTenant']>;
  let dashboard: Awaited<ReturnType<typeof putDashboard>>;
  let refuse: (address: string) => Refusal | undefined;

  beforeAll(async () => {
    smtp = await startSmtpServer({ refuse: (address) => refuse(address) });
    workspace = await startWorkspace('in-process', { settings: { PLINTH_SMTP_URL: smtp.url } });
  });
  afterAll(async () => {
    await workspace?.stop();
    await smtp?.stop();
  });
  beforeEach(async () => {
    refuse = () => undefined;
    smtp.taken.length = 0;
    tenant = workspace.newTenant();
    dashboard = await putDashboard(workspace.database, tenant, { title: 'Sales <now>' });
  });

  const path = () => ({ deploymentId: tenant.deploymentId });
  const create = (body: object = {}) =>
    workspace.call(tenant.admin, 'createNotification', {
      path: path(),
      body: { dashboardId: dashboard.dashboardId, scheduleType: 'DAILY', ...body },
    });
  const refusal = (body: object) => workspace.refusal(tenant.admin, 'createNotification', { path: path(), body });
  const at = (id: number) => ({ ...path(), id });
  const add = (id: number, recipients: object[]) =>
    workspace.call(tenant.admin, 'addRecipients', { path: at(id), body: { recipients } });
  const sql = <Row>(text: string) => workspace.database.readAsSystem<Row>({ name: '', text });
  const runsOf = async (id: number) =>
    (await workspace.call(tenant.admin, 'getNotificationRuns', { path: at(id), query: {} })).items;
  const ended = async (id: number, count = 1) =>
    until(
      'the runs',
      () => runsOf(id),
      (runs) => runs.length === count && runs.every(({ endedAt }) => endedAt !== null),
    );
  const runNow = (id: number) => workspace.call(tenant.admin, 'runNotificationNow', { path: at(id) });

  it.each([
    ['no dashboard', { scheduleType: 'DAILY' }, 400],
    ['two dashboards', { scheduleType: 'DAILY', dashboardId: 1, dashboardPublicId: 'x' }, 400],
    ['a dashboard that is not there', { scheduleType: 'DAILY', dashboardId: 987_654 }, 404],
    ['a summary without a provider', { scheduleType: 'DAILY', dashboardId: 1, notificationAiSummary: true }, 400],
  ])('are refused with %s', async (_case, body, status) => {
    expect((await refusal(body)).status).toBe(status);
  });

  it('are not there for others', async () => {
    const { id } = await create();
    const other = workspace.newTenant();
    workspace.deployments.set(tenant.deploymentId + 100_000, { tenantId: tenant.tenantId });
    const wrong = { deploymentId: tenant.deploymentId + 100_000, id };
    for (const operation of ['getNotification', 'getRecipients', 'deleteNotification', 'runNotificationNow'] as const) {
      expect((await workspace.refusal(tenant.admin, operation, { path: wrong })).status).toBe(404);
      expect((await workspace.refusal(other.admin, operation, { path: { ...at(id) } })).status).toBe(404);
    }
  });

  it('are made, listed, changed and deleted', async () => {
    const made = await create({ scheduleType: 'WEEKLY', dayOfWeek: 1, hour: 9, timezone: 'Europe/Berlin' });
    expect(made).toMatchObject({ cronExpression: '0 9 * * 1', isEnabled: true, notificationAiSummary: false });
    expect(made.humanReadableSchedule).toBe('At 09:00, only on Monday');
    const second = await create();
    const list = async (query: object) =>
      (await workspace.call(tenant.admin, 'getNotifications', { path: path(), query })).items.map(({ id }) => id);
    expect(await list({})).toEqual([second.id, made.id]);
    expect(await list({ dashboardPublicId: dashboard.publicId })).toEqual([second.id, made.id]);
    const { userId, email } = workspace.newUser(tenant.tenantId);
    await add(made.id, [{ type: 'USER', userId }]);
    expect(await list({ recipientEmail: email })).toEqual([made.id]);
    expect(await list({ recipientUserId: userId })).toEqual([made.id]);
    const both = { recipientUserId: userId, recipientEmail: email };
    expect((await workspace.refusal(tenant.admin, 'getNotifications', { path: path(), query: both })).status).toBe(400);
    const body = { isEnabled: false, hour: 7 };
    const changed = await workspace.call(tenant.admin, 'updateNotification', { path: at(made.id), body });
    expect(changed).toEqual({
      ...made,
      isEnabled: false,
      cronExpression: '0 7 * * 1',
      humanReadableSchedule: 'At 07:00, only on Monday',
    });
    expect((await workspace.refusal(tenant.admin, 'runNotificationNow', { path: at(made.id) })).status).toBe(409);
    await workspace.call(tenant.admin, 'deleteNotification', { path: at(made.id) });
    expect(await list({})).toEqual([second.id]);
    expect(await sql(`select from notification_recipient where notification_id = ${made.id}`)).toEqual([]);
  });

  it('take all recipients or none, and tell who is new and who has changed', async () => {
    const { id } = await create();
    const ada = workspace.newUser(tenant.tenantId);
    workspace.embedSubjects.set('acme/eve@example.com', { embedUserId: 7, securityContext: {} });
    workspace.embedSubjects.set('acme/nobody', { embedUserId: 8, securityContext: {} });
    const embed = { type: 'EMBED_USER', embedTenantName: 'acme', externalId: 'eve@example.com' };
    for (const wrong of [
      { type: 'SLACK', channelId: 'C1' },
      { type: 'USER', userId: 999_999 },
      { type: 'USER' },
      { ...embed, externalId: 'nobody' },
      { ...embed, email: 'a@x\r\nBcc: evil@x' },
    ]) {
      const body = { recipients: [{ type: 'USER', userId: ada.userId }, wrong] };
      expect((await workspace.refusal(tenant.admin, 'addRecipients', { path: at(id), body })).status).toBe(400);
    }
    expect(await sql(`select from notification_recipient where notification_id = ${id}`)).toEqual([]);
    const both = [{ type: 'USER', email: ada.email?.toUpperCase() }, embed];
    expect((await add(id, both)).createdRecipients).toMatchObject([{ userId: ada.userId }, { embedUserId: 7 }]);
    expect((await add(id, both)).unchangedRecipients).toHaveLength(2);
    const changed = await add(id, [{ ...embed, securityContext: { desk: 4 } }]);
    expect(changed).toMatchObject({ createdRecipients: [], updatedRecipients: [{ embedUserId: 7 }] });
    expect((await add(id, both)).unchangedRecipients).toHaveLength(2);
    const recipients = [
      { type: 'EMBED_USER', id: 7, embedTenantName: 'acme' },
      { type: 'USER', id: 999_999 },
    ];
    for (let time = 0; time < 2; time += 1) {
      await workspace.call(tenant.admin, 'removeRecipients', { path: at(id), body: { recipients } });
    }
    const { items } = await workspace.call(tenant.admin, 'getRecipients', { path: at(id), query: {} });
    expect(items).toMatchObject([{ type: 'USER', userId: ada.userId, email: ada.email }]);
  });

  it('make up for missed times once, and go on by the clock of the database', async () => {
    const { id } = await create({ scheduleType: 'HOURLY' });
    await sql(`update notification set next_run_at = now() - interval '3 days' where id = ${id}`);
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 10 * 365 * 86_400_000);
    await workspace.call(tenant.admin, 'updateNotification', { path: at(id), body: { notificationEnabled: true } });
    const [run] = await ended(id);
    jest.restoreAllMocks();
    expect(run).toMatchObject({ cause: 'SCHEDULE', outcome: 'SKIPPED', reason: 'The notification has no recipients' });
    const [next] = await sql<{ in: number }>(
      `select extract(epoch from next_run_at - now())::float8 as in from notification where id = ${id}`,
    );
    expect(next?.in).toBeGreaterThan(0);
    expect(next?.in).toBeLessThanOrEqual(3_600);
  });

  it('send a mail each, with one picture for one security context, and go on past a recipient who is refused', async () => {
    const { id } = await create();
    for (const [index, name] of ['a@example.com', 'b@example.com', 'gone@example.com'].entries()) {
      workspace.embedSubjects.set(`acme/${name}`, { embedUserId: 100 + index, securityContext: { desk: index % 2 } });
    }
    const names = ['gone@example.com', 'a@example.com', 'b@example.com'];
    await add(
      id,
      names.map((externalId) => ({ type: 'EMBED_USER', embedTenantName: 'acme', externalId })),
    );
    refuse = (address) => (address === 'gone@example.com' ? { responseCode: 550, message: 'no such user' } : undefined);
    expect(await runNow(id)).toMatchObject({ outcome: 'PENDING', cause: 'REQUEST' });
    const [run] = await ended(id);
    expect(run).toMatchObject({
      outcome: 'PARTLY_DELIVERED',
      subjects: 2,
      recipients: { planned: 3, delivered: 2, failed: 1 },
    });
    expect(run?.reason).toContain('550');
    const [mail] = smtp.taken;
    expect(smtp.taken.map(({ to }) => to).sort()).toEqual(['a@example.com', 'b@example.com']);
    expect(mail?.source).toMatch(/^Subject: Sales <now>\r?$/m);
    expect(mail?.source.replace(/=\r?\n/g, '')).toContain('Sales &lt;now&gt;');
    expect(mail?.source).toContain('Content-ID: <dashboard>');
    const others = ['a@example.com', 'b@example.com', 'gone@example.com'].filter((name) => name !== mail?.to);
    for (const other of others) expect(mail?.source).not.toContain(other);
  });

  it('are ended by the link in a mail, without a sign-in, by its holder alone', async () => {
    const { id } = await create();
    const ada = workspace.newUser(tenant.tenantId);
    await add(id, [{ type: 'USER', userId: ada.userId }]);
    await runNow(id);
    await ended(id);
    const source = smtp.taken[0]?.source.replace(/\r?\n[ \t]/g, '') ?? '';
    const token =
      /^List-Unsubscribe: *<https:\/\/acme\.test\/auth\/unsubscribe\?token=([\w.-]+)>/m.exec(source)?.[1] ?? '';
    const anybody = anonymousPrincipal(tenant.tenantId, 'acme');
    const stranger = anonymousPrincipal(workspace.newTenant().tenantId, 'other');
    expect((await workspace.refusal(stranger, 'unsubscribe', { body: { token } })).status).toBe(404);
    expect((await workspace.refusal(anybody, 'unsubscribe', { body: { token: `${token}x` } })).status).toBe(404);
    const found = await workspace.call(anybody, 'describeUnsubscription', { body: { token } });
    expect(found).toEqual({ email: 'u***@example.com', title: 'Sales <now>', isSubscribed: true });
    for (let time = 0; time < 2; time += 1) {
      expect(await workspace.call(anybody, 'unsubscribe', { body: { token } })).toMatchObject({ isSubscribed: false });
    }
    const lines = await workspace.database.asSystem((tx) =>
      managerFor(tx).query<object[]>(
        `select payload from outbox where tenant_id = $1 and payload ->> 'event' = 'Unsubscribed from notification'`,
        [tenant.tenantId],
      ),
    );
    const { deploymentId } = tenant;
    expect(lines).toMatchObject([{ payload: { deploymentId, attributes: { notificationId: id } } }]);
    await runNow(id);
    expect((await ended(id, 2))[0]).toMatchObject({ outcome: 'SKIPPED' });
    expect(smtp.taken).toHaveLength(1);
  });

  it('are previewed by whoever asks, alone', async () => {
    const { id } = await create({ notificationEnabled: false, notificationFormat: 'pdf' });
    await add(id, [{ type: 'USER', userId: workspace.newUser(tenant.tenantId).userId }]);
    await workspace.call(tenant.admin, 'previewNotification', { path: at(id) });
    expect((await ended(id))[0]).toMatchObject({ cause: 'PREVIEW', outcome: 'DELIVERED' });
    expect(smtp.taken.map(({ to }) => to)).toEqual([tenant.admin.email]);
    expect(smtp.taken[0]?.source).toContain('application/pdf');
    expect(smtp.taken[0]?.source).not.toContain('List-Unsubscribe');
    await runNow(id);
    const [run] = await ended(id, 2);
    expect(run).toMatchObject({ outcome: 'SKIPPED', reason: 'Mails of the notification are switched off' });
  });
});

describe('notifications without a mail server', () => {
  it('are kept, and each run has failed with that reason', async () => {
    const workspace = await startWorkspace();
    try {
      const { tenantId, deploymentId, admin } = workspace.newTenant();
      const { dashboardId } = await putDashboard(workspace.database, { tenantId, deploymentId });
      const body = { dashboardId, scheduleType: 'DAILY' };
      const { id } = await workspace.call(admin, 'createNotification', { path: { deploymentId }, body });
      await workspace.call(admin, 'runNotificationNow', { path: { deploymentId, id } });
      const runs = () => workspace.call(admin, 'getNotificationRuns', { path: { deploymentId, id }, query: {} });
      const { items } = await until('the run', runs, (page) => page.items[0]?.endedAt != null);
      const reason = 'No mail server is configured (PLINTH_SMTP_URL)';
      expect(items).toMatchObject([{ outcome: 'FAILED', reason }]);
    } finally {
      await workspace.stop();
    }
  });
});
