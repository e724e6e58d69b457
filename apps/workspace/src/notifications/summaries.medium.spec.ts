import 'reflect-metadata';
import type { BodyOf } from '@plinth/contract';
import { startSmtpServer, until, type SmtpServer } from '@plinth/testing';
import { putDashboard } from '../testing/dashboard-content';
import { answered, startWorkspace, type WorkspaceFixture } from '../testing/workspace-fixture';

const annotation = {
  dimensions: {},
  timeDimensions: {},
  measures: { 'orders.count': { title: 'Count', type: 'number' } },
};
const meta = { cubes: [{ dimensions: [], measures: [{ name: 'orders.count', type: 'count' }] }] };
const widgets = [{ id: 'a', type: 'CHART', config: { reportId: 1 }, position: { x: 0, y: 0, w: 12, h: 5 } }];
const jsonQuery = JSON.stringify({ measures: ['orders.count'] });
const reports = { 1: { kind: 'table' as const, title: 'Orders', jsonQuery } };

describe('summaries of what has changed', () => {
  let workspace: WorkspaceFixture;
  let smtp: SmtpServer;
  let tenant: ReturnType<WorkspaceFixture['newTenant']>;
  let id: number;
  let count: string;
  /** What somebody sees in place of that, by what their queries run under. */
  let own: Map<string, string>;
  let asked: BodyOf<'summarizeChanges'>[];

  beforeAll(async () => {
    smtp = await startSmtpServer({ refuse: () => undefined });
    workspace = await startWorkspace('in-process', { settings: { PLINTH_SMTP_URL: smtp.url } });
    workspace.queryEngine = async ({ body }) => {
      if (body.route === 'meta') return answered(meta);
      const { query } = body.body as { query: object };
      const seen = own.get(JSON.stringify(body.securityContext)) ?? count;
      return answered({ results: [{ query, data: [{ 'orders.count': seen }], annotation }] });
    };
  });
  afterAll(async () => {
    await workspace?.stop();
    await smtp?.stop();
  });
  beforeEach(async () => {
    smtp.taken.length = 0;
    asked = [];
    count = '10';
    own = new Map();
    workspace.summarize = (changes) => {
      asked.push(changes);
      return Promise.resolve('Orders rose <b>a lot</b>.');
    };
    tenant = workspace.newTenant();
    const { dashboardId } = await putDashboard(workspace.database, tenant, { widgets, reports });
    const body = { dashboardId, scheduleType: 'DAILY', notificationAiSummary: true };
    const path = { deploymentId: tenant.deploymentId };
    ({ id } = await workspace.call(tenant.admin, 'createNotification', { path, body }));
    const { userId } = workspace.newUser(tenant.tenantId);
    const recipients = [{ type: 'USER', userId }];
    await workspace.call(tenant.admin, 'addRecipients', { path: { ...path, id }, body: { recipients } });
  });

  const at = () => ({ deploymentId: tenant.deploymentId, id });
  const runs = async () => (await workspace.call(tenant.admin, 'getNotificationRuns', { path: at(), query: {} })).items;
  let sent = 0;
  /** One more run, and the mail of it. */
  const run = async (operationId: 'runNotificationNow' | 'previewNotification' = 'runNotificationNow') => {
    const before = (await runs()).length;
    sent = smtp.taken.length;
    await workspace.call(tenant.admin, operationId, { path: at() });
    const found = await until('the run', runs, (all) => all.length > before && all[0]?.endedAt !== null);
    return { run: found[0], mail: smtp.taken[sent]?.source.replace(/=\r?\n/g, '') ?? '' };
  };

  it('are refused where there is no language model, also later', async () => {
    workspace.summarize = undefined;
    const refusal = { status: 400, code: 'notification.no_model_provider' };
    const body = { notificationAiSummary: true };
    expect(await workspace.refusal(tenant.admin, 'updateNotification', { path: at(), body })).toEqual(refusal);
    await workspace.call(tenant.admin, 'updateNotification', { path: at(), body: { isEnabled: true } });
  });

  it.each<[string, () => Promise<string>]>([
    ['fails', () => Promise.reject(new Error('broken'))],
    ['is gone', undefined as never],
  ])('hold no mail when the model %s: it goes without, and the run says so', async (_what, summarize) => {
    await run();
    count = '12';
    workspace.summarize = summarize;
    const { run: ended, mail } = await run();
    expect(ended).toMatchObject({ outcome: 'DELIVERED', reason: null, summaryProblem: expect.any(String) });
    expect(mail).toContain('12');
    expect(mail).not.toContain('Written by a language model');
  });

  it('are made of figures that have changed, which stand beside them, and never of the first ones', async () => {
    const first = await run();
    expect(first.run).toMatchObject({ outcome: 'DELIVERED', summaryProblem: null });
    expect(first.mail).toContain('Orders =C2=B7 Count: 10');
    expect(asked).toEqual([]);
    const same = await run();
    expect(same.mail).toContain('No figure has changed since the last mail.');
    expect(asked).toEqual([]);
    count = '12';
    const { mail } = await run();
    expect(asked).toMatchObject([
      { notificationId: id, figures: [{ label: 'Orders · Count', value: '12', previous: '10' }] },
    ]);
    expect(mail).toContain('Orders rose &lt;b&gt;a lot&lt;/b&gt;.');
    expect(mail).toContain('Written by a language model from the figures below.');
    expect(mail).toContain('Orders =C2=B7 Count: 12 (before: 10)');
  });

  it('are of the figures that their reader has seen, and never of what another one has', async () => {
    const { userId } = workspace.newUser(tenant.tenantId);
    const body = { recipients: [{ type: 'USER', userId }] };
    await workspace.call(tenant.admin, 'addRecipients', { path: at(), body });
    const theirs = JSON.stringify({ cubeCloud: { userId } });
    own.set(theirs, '70');
    await run();
    own.set(theirs, '71');
    await run();
    expect(asked.map(({ figures }) => figures)).toEqual([[expect.objectContaining({ value: '71', previous: '70' })]]);
    const changed = smtp.taken.filter(({ source }) => source.includes('before: 70'));
    expect(changed).toHaveLength(1);
    const unchanged = smtp.taken.filter(({ source }) => source.includes('No figure has changed'));
    expect(unchanged).toHaveLength(1);
  });

  it('are not moved on by a preview', async () => {
    await run();
    count = '12';
    await run('previewNotification');
    await run();
    expect(asked.slice(-1)).toMatchObject([{ figures: [{ value: '12', previous: '10' }] }]);
  });
});
