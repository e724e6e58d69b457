import 'reflect-metadata';
import { findPython } from '@plinth/python';
import { pythonCommand } from '@plinth/testing';
import type { Principal } from '@plinth/auth';
import type { Call } from '@plinth/messaging';
import { putDashboard } from '../testing/dashboard-content';
import { newEmbedUser } from '../testing/embed-surroundings';
import { answered, startWorkspace, transports, type WorkspaceFixture } from '../testing/workspace-fixture';

const SQL = 'SELECT status, MEASURE(count) FROM orders GROUP BY 1';
const schema = [
  { name: 'status', column_type: 'String' },
  { name: 'count', column_type: 'Int64' },
];
const lines = (rows: unknown[][]): string =>
  [{ schema }, { data: rows }].map((line) => JSON.stringify(line)).join('\n');

describe.each(transports)('Python programs of reports, by %s', (transport) => {
  let workspace: WorkspaceFixture;
  let tenant: ReturnType<WorkspaceFixture['newTenant']>;
  let published: Awaited<ReturnType<typeof publish>>;
  let contexts: unknown[];

  beforeAll(async () => {
    workspace = await startWorkspace(transport, { settings: { PLINTH_PYTHON_COMMAND: pythonCommand } });
  });
  afterAll(() => workspace?.stop());
  beforeEach(async () => {
    tenant = workspace.newTenant();
    contexts = [];
    // Each sees rows of their own.
    workspace.queryEngine = async ({ body }: Call<'queryEngine'>) => {
      contexts.push(body.securityContext);
      const { query } = body.body as { query: string };
      if (query === 'broken') return answered({ error: 'no such column' }, 400);
      const { embedUserId = 0 } = (body.securityContext?.['cubeCloud'] ?? {}) as { embedUserId?: number };
      return answered(
        lines([
          ['shipped', '12'],
          ['of', String(embedUserId)],
        ]),
      );
    };
    published = await publish('print("hello")\nsum(row["count"] for row in rows)');
  });

  async function publish(pythonCode: string | null) {
    const reports = {
      41: { pythonCode, sqlQuery: SQL, kind: 'table' as const, name: 'Orders' },
      42: { pythonCode: null, sqlQuery: SQL, kind: 'table' as const, name: 'Plain' },
    };
    const widgets = [41, 42].map((reportId, y) => ({
      ...{ id: `w${reportId}`, type: 'CHART', position: { x: 0, y, w: 12, h: 4 }, config: { reportId } },
    }));
    const made = await putDashboard(workspace.database, tenant, { reports, widgets });
    await workspace.call(tenant.admin, 'updateEmbedAccess', {
      path: { deploymentId: tenant.deploymentId, workbookId: made.workbookId },
      body: { allEmbedUsers: true, action: 'read' },
    });
    const { reportSnapshots } = await workspace.call(tenant.admin, 'getDashboard', {
      path: { publicId: made.publicId },
    });
    const ids = new Map((reportSnapshots ?? []).map(({ id, reportId }) => [reportId, id]));
    return { ...made, versionOf: (reportId: number) => ids.get(reportId) ?? 0 };
  }
  const embedUser = () => newEmbedUser(workspace, tenant, { embedTenantName: 'acme' });
  const request = (sqlQuery = SQL, { publicId, versionOf } = published, reportId = 41) => ({
    path: { publicId },
    body: { reportId, reportVersionId: versionOf(reportId), sqlQuery },
  });
  const run = (principal = embedUser(), asked = request()) =>
    workspace.call(principal, 'postDashboardPythonRun', asked);
  const refusal = (asked = request(), principal: Principal = embedUser()) =>
    workspace.refusal(principal, 'postDashboardPythonRun', asked);

  it('are not run over another dashboard, another report or another version than those that are shown', async () => {
    const other = await publish('rows');
    const notThere = { status: 403, code: 'report.not_on_dashboard' };
    const { path, body } = request();
    const reportVersionId = other.versionOf(41);
    expect(await refusal({ path, body: { ...body, reportVersionId } })).toEqual(notThere);
    expect(await refusal({ path, body: { ...body, reportId: 42 } })).toEqual(notThere);
    expect(await refusal({ path, body: { ...body, reportVersionId: 999_999 } })).toEqual(notThere);
    expect(await refusal({ ...request(), path: { publicId: 'aaaaaaaaaaaa' } })).toMatchObject({ status: 404 });
    expect(await refusal(request(SQL, published, 42))).toEqual({ status: 400, code: 'report.no_python' });
    expect(contexts).toEqual([]);
  });

  it('are not run for whoever may not see the dashboard', async () => {
    await workspace.call(tenant.admin, 'updateEmbedAccess', {
      path: { deploymentId: tenant.deploymentId, workbookId: published.workbookId },
      body: { allEmbedUsers: true, action: 'none' },
    });
    expect(await refusal()).toEqual({ status: 404, code: 'dashboard.not_found' });
    expect(await refusal(request(), workspace.newUser(tenant.tenantId))).toMatchObject({ status: 404 });
  });

  it('are not run where the account has switched them off, in dashboards and reports neither', async () => {
    workspace.tenantsWithoutPython.add(tenant.tenantId);
    expect(await refusal()).toEqual({ status: 403, code: 'python.off' });
    const { widgets } = await dashboardData();
    expect(widgets[0]).toMatchObject({ data: null, error: { code: 'python.off' } });
    expect(contexts).toHaveLength(1);
  });

  it('whose query fails answer as the query does, and are not remembered', async () => {
    const ada = embedUser();
    for (let time = 1; time <= 2; time += 1) {
      expect(await refusal(request('broken'), ada)).toEqual({ status: 400, code: 'report.query_failed' });
      expect(contexts).toHaveLength(time);
    }
  });

  it('answer what they have made of the rows that their viewer sees', async () => {
    const [ada, bob] = [embedUser(), embedUser()];
    expect(await run(ada)).toEqual({
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      inputRowCount: 2,
      stdout: 'hello\n',
      stderr: '',
      outputData: 12 + ada.embed.embedUserId,
      executionError: null,
    });
    expect(await run(bob)).toMatchObject({ outputData: 12 + bob.embed.embedUserId });
    expect(contexts).toEqual([ada, bob].map(({ embed }) => ({ cubeCloud: { embedUserId: embed.embedUserId } })));
  });

  it('are run once a minute for the same viewer and query, and again after a failure', async () => {
    const ada = embedUser();
    const first = await run(ada);
    expect(await run(ada)).toEqual(first);
    expect(contexts).toHaveLength(1);
    await run(ada, request(`${SQL} LIMIT 5`));
    expect(contexts).toHaveLength(2);
    const failing = await publish('1 / 0');
    for (let time = 0; time < 2; time += 1) {
      expect(await run(ada, request(SQL, failing))).toMatchObject({
        outputData: null,
        executionError: 'ZeroDivisionError: division by zero (line 1)',
        stderr: expect.stringContaining('Traceback'),
      });
    }
    expect(contexts).toHaveLength(4);
  });

  async function dashboardData() {
    const path = { deploymentId: tenant.deploymentId, workbookId: published.workbookId };
    const { text } = await workspace.read(tenant.admin, 'getDashboardData', { path });
    return JSON.parse(text) as { widgets: { data: unknown; error: unknown }[] };
  }

  it('make what dashboards show of their reports, and a failure stands in the place of its widget', async () => {
    published = await publish('[{"status": row["status"].upper(), "share": row["count"] / 2} for row in rows]');
    const { widgets } = await dashboardData();
    expect(widgets[0]).toMatchObject({
      error: null,
      data: {
        columns: [
          { name: 'status', type: 'string' },
          { name: 'share', type: 'number' },
        ],
        rows: [
          { status: 'SHIPPED', share: 6 },
          { status: 'OF', share: 0 },
        ],
        rowCount: 2,
      },
    });
    published = await publish('missing');
    expect((await dashboardData()).widgets).toMatchObject([
      {
        data: null,
        error: { code: 'report.python_failed', message: "NameError: name 'missing' is not defined (line 1)" },
      },
      { error: null, data: { rowCount: 2 } },
    ]);
  });

  it('make what a report answers, as JSON and as CSV', async () => {
    const body = { sqlQuery: SQL, meta: { pythonCode: '[{"n": len(rows)}]' } };
    const path = { deploymentId: tenant.deploymentId };
    const { id } = await workspace.call(tenant.admin, 'createReport', { path, body });
    const read = (more: object = {}) =>
      workspace.read(tenant.admin, 'getReportData', { path: { ...path, reportId: id }, body: more });
    expect(JSON.parse((await read()).text)).toMatchObject({ rows: [{ n: 2 }] });
    expect((await read({ format: 'csv' })).text).toBe('n\r\n2\r\n');
  });

  it('can use pandas where the platform has it', async () => {
    if (!(await findPython(pythonCommand)).hasPandas) return;
    published = await publish('df.sort_values("count").tail(1)');
    expect((await run(embedUser(), request())).executionError).toBeNull();
  });
});

describe('a platform without Python', () => {
  it('says so', async () => {
    const workspace = await startWorkspace();
    try {
      const tenant = workspace.newTenant();
      const reports = { 41: { pythonCode: 'rows', sqlQuery: SQL } };
      const { publicId } = await putDashboard(workspace.database, tenant, { reports });
      const shown = await workspace.call(tenant.admin, 'getDashboard', { path: { publicId } });
      const reportVersionId = shown.reportSnapshots?.[0]?.id;
      const asked = { path: { publicId }, body: { reportId: 41, reportVersionId, sqlQuery: SQL } };
      expect(await workspace.error(tenant.admin, 'postDashboardPythonRun', asked)).toMatchObject({
        code: 'python.not_provided',
        message: expect.stringContaining('PLINTH_PYTHON_COMMAND'),
      });
    } finally {
      await workspace.stop();
    }
  });

  it.each([
    ['no path', 'python3', /PLINTH_PYTHON_COMMAND.*absolute path/],
    ['nothing', '/none/python3', /PLINTH_PYTHON_COMMAND: \/none\/python3 is no Python/],
  ])('does not start when its setting names %s', async (_, command, problem) => {
    await expect(startWorkspace('in-process', { settings: { PLINTH_PYTHON_COMMAND: command } })).rejects.toThrow(
      problem,
    );
  });
});
