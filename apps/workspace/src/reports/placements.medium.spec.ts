import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { answered, startWorkspace, type WorkspaceFixture } from '../testing/workspace-fixture';

type Report = ReplyOf<'getReport'>;

const QUERY = { measures: ['orders.count'] };
const rows = [{ 'orders.count': '5' }, { 'orders.count': '7' }];
const annotation = {
  dimensions: {},
  timeDimensions: {},
  measures: { 'orders.count': { title: 'Count', type: 'number' } },
};
const result = { results: [{ query: QUERY, data: rows, annotation }] };
const book = { externalWorkbookId: 'book', resultLocation: "'My sheet'!$B$3:D9" };
const byCell = { externalWorkbookId: 'book', sheetName: 'My sheet', anchorCell: 'b3' };

describe('reports in spreadsheets', () => {
  let workspace: WorkspaceFixture;
  let deploymentId: number;
  let owner: Principal & { userId: number };
  let reader: Principal & { userId: number };
  let report: Report;
  let asked: BodyOf<'queryEngine'>[];

  beforeAll(async () => {
    workspace = await startWorkspace();
  });
  afterAll(() => workspace.stop());
  beforeEach(async () => {
    const tenant = workspace.newTenant();
    ({ deploymentId } = tenant);
    owner = workspace.newUser(tenant.tenantId);
    reader = workspace.newUser(tenant.tenantId);
    report = await workspace.call(owner, 'createReport', {
      path: { deploymentId },
      body: { name: 'Orders', jsonQuery: JSON.stringify(QUERY) },
    });
    workspace.policies.set(reader.userId, [{ resourceType: 'Report', resourceId: report.id, level: 'read' }]);
    asked = [];
    workspace.queryEngine = async ({ body }) => {
      asked.push(body);
      return answered(result);
    };
  });

  const path = () => ({ deploymentId, reportId: report.id });
  const connect = (body: object = book): Promise<Report> =>
    workspace.call(reader, 'connectReportToWorkbook', { path: path(), body });
  const disconnect = (body?: object): Promise<Report> =>
    workspace.call(reader, 'disconnectReportFromWorkbook', { path: path(), body });
  const refresh = (body?: object): Promise<Report> => workspace.call(reader, 'refreshReport', { path: path(), body });
  const update = (body: object): Promise<Report> => workspace.call(owner, 'updateReport', { path: path(), body });
  const placesOf = ({ externalWorkbookPlacements }: Report) => externalWorkbookPlacements ?? [];

  it('are not placed by who may not read them', async () => {
    workspace.policies.delete(reader.userId);
    expect(await workspace.refusal(reader, 'connectReportToWorkbook', { path: path(), body: book })).toEqual({
      status: 404,
      code: 'report.not_found',
    });
  });

  it('stand in 100 places at most', async () => {
    for (let index = 0; index < 100; index += 1) await connect({ ...book, externalWorkbookId: `book-${index}` });
    expect(await workspace.refusal(reader, 'connectReportToWorkbook', { path: path(), body: book })).toEqual({
      status: 409,
      code: 'report.too_many_placements',
    });
  });

  it('are placed by a reader, which changes nothing of the report', async () => {
    const placed = await connect({ ...book, host: 'EXCEL', workbookName: 'Book', endResultCell: 'D9' });
    const { externalWorkbookPlacements, externalWorkbookId, resultLocation, endResultCell, ...rest } = placed;
    expect(report).toMatchObject({ ...rest, canEdit: true, canManage: true });
    expect([externalWorkbookId, resultLocation, endResultCell]).toEqual(['book', book.resultLocation, 'D9']);
    expect(externalWorkbookPlacements).toEqual([
      expect.objectContaining({
        ...{ workbookId: 'book', workbookName: 'Book', host: 'EXCEL', sheetName: 'My sheet', anchorCell: 'B3' },
        ...{ syncStatus: 'UP_TO_DATE', placedByUserId: reader.userId, refreshedAt: null },
        queryChecksum: report.currentQueryChecksum,
      }),
    ]);
  });

  it('are placed once at one place, however it is named', async () => {
    const [{ id } = { id: null }] = placesOf(await connect());
    for (const body of [
      book,
      { ...book, resultLocation: "'My sheet'!B3" },
      { ...byCell, resultLocation: 'anywhere' },
    ]) {
      expect(placesOf(await connect(body)).map((each) => each.id)).toEqual([id]);
    }
    const moved = await connect({ placementId: id, externalWorkbookId: 'book', resultLocation: 'Other!A1' });
    expect(placesOf(moved)).toMatchObject([{ id, sheetName: 'Other', anchorCell: 'A1' }]);
    expect(placesOf(await connect())).toHaveLength(2);
  });

  it('say whether the report has changed since, until their result is put there anew', async () => {
    await connect();
    const status = (changed: Report) => placesOf(changed).map(({ syncStatus }) => syncStatus);
    expect(status(await update({ name: 'Sales' }))).toEqual(['UP_TO_DATE']);
    expect(status(await update({ jsonQuery: '{"measures":["orders.total"]}' }))).toEqual(['CHANGED']);
    expect(status(await connect({ ...book, addressOnly: true }))).toEqual(['CHANGED']);
    expect(status(await connect())).toEqual(['UP_TO_DATE']);
    expect(status(await update({ jsonQuery: null }))).toEqual(['UNKNOWN']);
  });

  it('are placed and moved by creating and updating them, too', async () => {
    const placed = await update({ ...book, sheetId: 'tab-1', host: 'GOOGLE_SHEETS' });
    expect(placed).toMatchObject({ version: 1, externalWorkbookId: 'book' });
    const [{ id } = { id: null }] = placesOf(placed);
    const moved = await update({ placementId: id, resultLocation: 'Other!A1' });
    expect(placesOf(moved)).toMatchObject([{ id, workbookId: 'book', sheetId: 'tab-1', resultLocation: 'Other!A1' }]);
  });

  it.each([
    ['nothing', {}],
    ['an unknown id', { placementId: 'nobody' }],
    ['no anchor', { externalWorkbookId: 'book', sheetName: 'My sheet' }],
    ['no sheet name', { externalWorkbookId: 'book', anchorCell: 'B3' }],
    ['a sheet id in the place of the name', { externalWorkbookId: 'book', sheetId: 'tab-1', anchorCell: 'B3' }],
    ['another sheet id', { ...byCell, sheetId: 'tab-2' }],
    ['another spreadsheet', { ...byCell, externalWorkbookId: 'other' }],
    ['no spreadsheet', { sheetName: 'My sheet', anchorCell: 'B3' }],
  ])('stay where they are for %s', async (_what, body) => {
    await connect({ ...book, sheetId: 'tab-1' });
    expect(placesOf(await disconnect(body))).toHaveLength(1);
  });

  it.each([
    ['sheet name and cell', byCell],
    ['the location', book],
    ['the same sheet id besides', { ...byCell, sheetId: 'tab-1' }],
  ])('are removed by %s, and once more without an error', async (_what, body) => {
    await connect({ ...book, sheetId: 'tab-1' });
    await connect({ ...book, resultLocation: 'Other!A1' });
    expect(placesOf(await disconnect(body))).toMatchObject([{ sheetName: 'Other' }]);
    expect(placesOf(await disconnect(body))).toHaveLength(1);
  });

  describe('refreshed', () => {
    it('without a query, or with one that fails: an error, and nothing is noted', async () => {
      workspace.queryEngine = async () => answered({ error: "'orders.count' not found" }, 400);
      const refusal = () => workspace.refusal(reader, 'refreshReport', { path: path() });
      expect(await refusal()).toEqual({ status: 400, code: 'report.query_failed' });
      await update({ jsonQuery: null });
      expect(await refusal()).toEqual({ status: 400, code: 'report.no_query' });
      expect(await workspace.call(owner, 'getReport', { path: path() })).toMatchObject({ refreshedAt: null });
    });

    it('run as the caller, and are asked for again while the engine wants that', async () => {
      let waits = 2;
      workspace.queryEngine = async ({ body }) => {
        asked.push(body);
        return answered(waits-- > 0 ? { error: 'Continue wait' } : result);
      };
      const refreshed = await refresh();
      expect(asked).toHaveLength(3);
      expect(asked[0]).toMatchObject({
        ...{ route: 'load', branchName: 'main', isProduction: true, caller: reader.credentialId },
        securityContext: { cubeCloud: { userId: reader.userId } },
        body: { query: { ...QUERY, limit: 50_000 } },
      });
      expect(refreshed).toMatchObject({ refreshedBy: reader.userId, refreshedRowCount: 2, version: 1 });
      expect(refreshed).toMatchObject({ refreshedByUser: { id: reader.userId } });
      expect(refreshed.refreshedResultChecksum).toMatch(/^[0-9a-f]{64}$/);
      expect((await refresh()).refreshedResultChecksum).toBe(refreshed.refreshedResultChecksum);
    });

    it('in a place, are noted there', async () => {
      await connect();
      const resultChecksum = { v: 1, chunks: [{ from: 0, hash: 'abc' }] };
      const [place] = placesOf(await refresh({ ...byCell, resultChecksum }));
      expect(place).toMatchObject({ refreshedByUserId: reader.userId, resultChecksum, syncStatus: 'UP_TO_DATE' });
      expect(place?.refreshedAt).not.toBeNull();
      expect(placesOf(await refresh({ externalWorkbookId: 'other', resultLocation: 'A!B1' }))).toEqual([place]);
    });

    it('ask in SQL where there is no JSON query', async () => {
      await update({ jsonQuery: null, sqlQuery: 'SELECT count FROM orders' });
      workspace.queryEngine = async ({ body }) => {
        asked.push(body);
        return answered('{"schema":[{"name":"count","column_type":"Int64"}]}\n{"data":[["5"],["7"],["9"]]}\n');
      };
      expect(await refresh()).toMatchObject({ refreshedRowCount: 3 });
      expect(asked).toMatchObject([{ route: 'cubesql', body: { query: 'SELECT count FROM orders' } }]);
      workspace.queryEngine = async () => answered('{"error":"no such table"}\n');
      expect(await workspace.refusal(reader, 'refreshReport', { path: path() })).toMatchObject({ status: 400 });
    });
  });
});
