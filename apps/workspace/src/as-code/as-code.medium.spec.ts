import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { archiveOf, filesIn } from '../testing/archives';
import { chunked, manifest, report, startAsCode, summary, type AsCode } from '../testing/as-code-fixture';
import { grant } from '../testing/content-fixture';
import { transports } from '../testing/workspace-fixture';

describe.each(transports)('content as files, over %s', (transport) => {
  let files: AsCode;
  let admin: Principal;
  let user: Principal & { userId: number };
  let path: { deploymentId: number };

  beforeAll(async () => {
    files = await startAsCode(transport);
  });
  afterAll(() => files?.stop());
  beforeEach(() => {
    ({ admin, user, path } = files.begin());
  });

  const exported = async (principal = admin): Promise<Buffer> =>
    (await files.service.bytes(principal, 'exportWorkspace', { path })).bytes;
  const call: AsCode['service']['call'] = (...request) => files.service.call(...request);

  it('is exported in the same bytes every time, in order and with public ids in charts', async () => {
    const { revenue } = await files.furnish();
    const archive = await exported();
    expect((await exported()).equals(archive)).toBe(true);
    const written = await filesIn(archive);
    expect(Object.keys(written).slice(0, 2)).toEqual(['plinth.yaml', 'empty/folder.yaml']);
    for (const name of ['dashboard', 'published'])
      expect(written[`sales-marketing/board/${name}.yaml`]).toContain(`reportId: ${revenue.publicId}`);
    expect(written[`sales-marketing/europe/${revenue.publicId}.report.yaml`]).toContain('- orders.count');
  });

  it('that is exported and imported changes nothing, also with prune', async () => {
    await files.furnish();
    const archive = await exported();
    expect(await files.importBytes(archive, { prune: true })).toEqual({ applied: true, changes: [] });
    expect((await exported()).equals(archive)).toBe(true);
  });

  it('is taken as tar makes it of a directory', async () => {
    const entries = Object.entries({ ...manifest, 'a/folder.yaml': 'name: A\n' });
    const bytes = await archiveOf([
      { name: './', type: 'directory' },
      { name: './a/', type: 'directory' },
      ...entries.map(([name, text]) => ({ name: `./${name}`, text })),
    ]);
    expect(summary(await files.importBytes(bytes))).toEqual(['CREATE FOLDER A']);
  });

  it('says queries as they are read best, and white space in them is no difference', async () => {
    const query = { measures: ['orders.count'], limit: 3 };
    const spaced = await files.report({ jsonQuery: JSON.stringify(query, null, 2) });
    const exact = await files.report({ jsonQuery: '{"limit": 1.0}' });
    const archive = await exported();
    const written = await filesIn(archive);
    expect(written[`${spaced.publicId}.report.yaml`]).toContain(
      'jsonQuery:\n  measures:\n    - orders.count\n  limit: 3',
    );
    expect(written[`${exact.publicId}.report.yaml`]).toContain(`jsonQuery: '{"limit": 1.0}'`);
    expect((await files.importBytes(archive)).changes).toEqual([]);
  });

  it('is made anew elsewhere, and exported from there in the same bytes', async () => {
    await files.furnish();
    const archive = await exported();
    const other = files.service.newTenant();
    const there = { path: { deploymentId: other.deploymentId } };
    const imported = () =>
      call(other.admin, 'importWorkspace', { ...there, query: { prune: true }, upload: chunked(archive) });
    const { changes } = await imported();
    expect(new Set(changes.map(({ action }) => action))).toEqual(new Set(['CREATE']));
    expect((await files.service.bytes(other.admin, 'exportWorkspace', there)).bytes.equals(archive)).toBe(true);
    expect(await imported()).toEqual({ applied: true, changes: [] });
  });

  it('is as upserts by slug and by public id make it: either finds nothing to do after the other', async () => {
    const publicId = files.publicId();
    const query = JSON.stringify({ measures: ['orders.count'] });
    const definition = { name: 'Revenue', jsonQuery: query, meta: { kind: 'kpi' } };
    const draft = { widgets: [{ id: 'a', type: 'TEXT', position: { x: 0, y: 0, w: 1, h: 1 }, config: {} }] };
    const upsert = async () => {
      const at = { path: { ...path, slug: 'board' }, body: { name: 'Board', meta: { a: 1, dashboardDraft: draft } } };
      const { id: workbookId, updatedAt } = await call(admin, 'upsertWorkbookBySlug', at);
      const body = { ...definition, workbookId };
      const { id, version } = await call(admin, 'upsertReportByPublicId', { path: { ...path, publicId }, body });
      return { workbookId, id, version, updatedAt };
    };
    const made = await upsert();
    const archive = await exported();
    expect((await files.importBytes(archive)).changes).toEqual([]);
    expect(await upsert()).toEqual(made);
    await call(admin, 'deleteReport', { path: { ...path, reportId: made.id } });
    await call(admin, 'deleteWorkbook', { path: { ...path, workbookId: made.workbookId } });
    expect(summary(await files.importBytes(archive))).toEqual(['CREATE WORKBOOK Board', 'CREATE REPORT Revenue']);
    expect((await exported()).equals(archive)).toBe(true);
    const again = await upsert();
    expect([again.version, await upsert()]).toEqual([1, again]);
    expect((await files.importBytes(archive)).changes).toEqual([]);
  });

  it('a dry run tells what would happen, and nothing does', async () => {
    const { revenue } = await files.furnish();
    const before = await exported();
    const written = { 'new/folder.yaml': 'name: New\n', 'new/r.report.yaml': report(revenue.publicId, 'Renamed') };
    expect(await files.import(written, { dryRun: true })).toEqual({
      applied: false,
      changes: [
        { action: 'CREATE', type: 'FOLDER', file: 'new/folder.yaml', name: 'New', id: null, fields: [] },
        {
          ...{ action: 'UPDATE', type: 'REPORT', file: 'new/r.report.yaml', name: 'Renamed', id: revenue.id },
          fields: ['place', 'name', 'jsonQuery'],
        },
      ],
    });
    expect((await exported()).equals(before)).toBe(true);
    expect(summary(await files.import(written))).toEqual([
      'CREATE FOLDER New',
      'UPDATE REPORT Renamed place name jsonQuery',
    ]);
    expect((await files.import(written)).changes).toEqual([]);
  });

  it('changes what is other and nothing else: places, names, metadata and drafts', async () => {
    await files.furnish();
    const written = await filesIn(await exported());
    const moved = Object.fromEntries(
      Object.entries(written).map(([file, text]) => [file.replace('sales-marketing/board/', 'board/'), text]),
    );
    moved['board/workbook.yaml'] = 'name: Moved\nslug: BOARD\nmeta:\n  a: 1\n';
    delete moved['board/dashboard.yaml'];
    moved['empty/folder.yaml'] = 'name: Empty\nposition: 70\n';
    expect(summary(await files.import(moved))).toEqual([
      'UPDATE FOLDER Empty position',
      'UPDATE WORKBOOK Moved place name meta dashboardDraft',
    ]);
    expect((await files.import(moved)).changes).toEqual([]);
    const { items } = await call(admin, 'getWorkbooks', { path });
    expect(items.find(({ slug }) => slug === 'board')).toMatchObject({ name: 'Moved', folderId: null, meta: { a: 1 } });
  });

  it('publishes when what is published or a report in it is other, and not again', async () => {
    const publicId = files.publicId();
    const config = `config:\n  widgets:\n    - id: a\n      type: CHART\n      position: {x: 0, y: 0, w: 1, h: 1}\n      config:\n        reportId: ${publicId}\n`;
    const written = {
      'w/workbook.yaml': 'name: W\nslug: w\n',
      'w/r.report.yaml': report(publicId),
      'w/published.yaml': config,
    };
    expect(summary(await files.import(written))).toEqual(['CREATE WORKBOOK W', 'CREATE REPORT Report']);
    expect((await files.import(written)).changes).toEqual([]);
    const again = { ...written, 'w/published.yaml': `title: New\n${config}` };
    expect(summary(await files.import(again))).toEqual(['UPDATE WORKBOOK W dashboardPublished']);
    again['w/r.report.yaml'] = report(publicId, 'Other');
    expect(summary(await files.import(again))).toEqual([
      'UPDATE WORKBOOK W dashboardPublished',
      'UPDATE REPORT Other name',
    ]);
    expect((await files.import(again)).changes).toEqual([]);
    const workbookId = (await call(admin, 'getWorkbooks', { path })).items[0]?.id ?? 0;
    const { items } = await call(admin, 'listDashboardVersions', { path: { ...path, workbookId } });
    expect(items.map(({ versionNumber, title }) => [versionNumber, title])).toEqual([
      [3, 'New'],
      [2, 'New'],
      [1, null],
    ]);
  });

  it('deletes what is not in the archive when it is told to, and only then', async () => {
    await files.furnish();
    const kept = { 'empty/folder.yaml': 'name: Empty\n' };
    expect((await files.import(kept)).changes).toEqual([]);
    const { changes } = await files.import(kept, { prune: true });
    expect(changes.map(({ action, type }) => `${action} ${type}`)).toEqual([
      ...Array<string>(3).fill('DELETE REPORT'),
      ...Array<string>(2).fill('DELETE WORKBOOK'),
      ...Array<string>(2).fill('DELETE FOLDER'),
    ]);
    expect(Object.keys(await filesIn(await exported()))).toEqual(['plinth.yaml', 'empty/folder.yaml']);
  });

  it('of a caller who sees a part is that part, and it comes back unchanged', async () => {
    const { europe, revenue } = await files.furnish();
    grant(files.service, user, ['FOLDER', europe, 'read']);
    const archive = await exported(user);
    expect(Object.keys(await filesIn(archive))).toEqual([
      'plinth.yaml',
      'sales-marketing/folder.yaml',
      'sales-marketing/europe/folder.yaml',
      `sales-marketing/europe/${revenue.publicId}.report.yaml`,
    ]);
    expect(await files.importBytes(archive, { prune: true }, user)).toEqual({ applied: true, changes: [] });
  });

  it('keeps folders of the same name apart, by their age', async () => {
    const [first, second] = [await files.folder('Same'), await files.folder('Same')];
    const [a, b] = [await files.report({ folderId: first }), await files.report({ folderId: second })];
    const archive = await exported();
    expect(Object.keys(await filesIn(archive))).toEqual([
      'plinth.yaml',
      'same/folder.yaml',
      `same/${a.publicId}.report.yaml`,
      'same-2/folder.yaml',
      `same-2/${b.publicId}.report.yaml`,
    ]);
    expect((await files.importBytes(archive, { prune: true })).changes).toEqual([]);
  });

  it('imported by many at the same moment is made once, also while its slug is upserted', async () => {
    const written = {
      'a/folder.yaml': 'name: A\n',
      'a/w/workbook.yaml': 'name: W\nslug: w\n',
      'a/r.report.yaml': report(files.publicId()),
    };
    const upserted = call(admin, 'upsertWorkbookBySlug', { path: { ...path, slug: 'w' }, body: { name: 'W' } }).catch(
      ({ code }: { code: string }) => ({ code }),
    );
    const all = await Promise.all(Array.from({ length: 6 }, () => files.import(written)));
    const counts = all.map(({ changes }) => changes.length).sort();
    expect(counts).toEqual([0, 0, 0, 0, 0, 3]);
    expect([undefined, 'upsert_branch_changed']).toContain(((await upserted) as { code?: string }).code);
    expect((await call(admin, 'getWorkbooks', { path })).items).toHaveLength(1);
  });
});
