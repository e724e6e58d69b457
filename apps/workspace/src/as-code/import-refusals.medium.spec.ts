import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { managerFor } from '@plinth/database';
import { archiveOf, filesIn, type ArchiveEntry } from '../testing/archives';
import { manifest, report, startAsCode, type AsCode } from '../testing/as-code-fixture';
import { grant, put } from '../testing/content-fixture';

let files: AsCode;
let admin: Principal;
let user: Principal & { userId: number };
let path: { deploymentId: number };

beforeAll(async () => {
  files = await startAsCode();
});
afterAll(() => files?.stop());
beforeEach(() => {
  ({ admin, user, path } = files.begin());
});

const folder = (name: string): string => `name: ${name}\n`;
const chart = (reportId: string | number): string =>
  `widgets:\n  - id: a\n    type: CHART\n    position: {x: 0, y: 0, w: 1, h: 1}\n    config:\n      reportId: ${reportId}\n`;
const exported = async () => filesIn((await files.service.bytes(admin, 'exportWorkspace', { path })).bytes);
const placesOf = ({ details }: { details?: readonly { path: string }[] | undefined }): string[] =>
  (details ?? []).map((detail) => detail.path);

describe('an import refuses', () => {
  it.each<[string, ArchiveEntry, string]>([
    ['a path upwards', { name: '../folder.yaml' }, 'is no path of an archive'],
    ['a path upwards further in', { name: 'a/../../folder.yaml' }, 'is no path of an archive'],
    ['a path that turns in its place', { name: 'a/./folder.yaml' }, 'is no path of an archive'],
    ['an absolute path', { name: '/etc/folder.yaml' }, 'is no path of an archive'],
    ['a backslash', { name: 'a\\folder.yaml' }, 'is no path of an archive'],
    ['a control character', { name: 'a\u0007/folder.yaml' }, 'is no path of an archive'],
    ['a symbolic link', { name: 'a/folder.yaml', type: 'symlink', linkname: '/etc/passwd' }, 'is a symlink'],
    ['a hard link', { name: 'a/folder.yaml', type: 'link', linkname: 'plinth.yaml' }, 'is a link'],
    ['a device', { name: 'a/folder.yaml', type: 'character-device' }, 'is a character-device'],
    ['a file twice', { name: 'plinth.yaml', text: 'version: 1\n' }, 'stands in the archive twice'],
    ['what lies too deep', { name: `${'a/'.repeat(20)}folder.yaml` }, 'lies too deep'],
  ])('%s', async (_what, entry, message) => {
    const bytes = await archiveOf([{ name: 'plinth.yaml', text: 'version: 1\n' }, entry]);
    const expected = { status: 400, code: 'import.invalid', message: expect.stringContaining(message) as string };
    expect(await files.refusedBytes(bytes)).toMatchObject(expected);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['what is no archive', Buffer.from('hello'.repeat(1_000))],
    ['an archive without files', Buffer.alloc(1_024)],
    ['a compressed one', Buffer.concat([Buffer.from([0x1f, 0x8b]), Buffer.alloc(2_000, 7)])],
  ])('%s', async (_what, bytes) => {
    expect(await files.refusedBytes(bytes)).toMatchObject({ status: 400, code: 'import.invalid' });
  });

  it('one that breaks off, and bytes that are no text', async () => {
    const whole = await archiveOf({ ...manifest, 'a/folder.yaml': folder('A') });
    expect((await files.refusedBytes(whole.subarray(0, 700))).code).toBe('import.invalid');
    const header = await archiveOf({ 'plinth.yaml': 'x'.repeat(4) });
    header.set([0xff, 0xfe, 0xfd, 0xfc], 512);
    expect((await files.refusedBytes(header)).message).toContain('is not UTF-8');
  });

  it('more bytes than it may hold, and more files', async () => {
    const tooLarge = { status: 413, code: 'request.too_large' };
    expect(await files.refused({ 'a/folder.yaml': '#'.repeat(10 << 20) })).toMatchObject(tooLarge);
    const many = Array.from({ length: 10_001 }, (_, number) => ({ name: `d${number}`, type: 'directory' as const }));
    expect(await files.refusedBytes(await archiveOf(many))).toMatchObject(tooLarge);
  });

  it('more in one file, and in all of them, than the parser is to be given', async () => {
    const tooLarge = { status: 413, code: 'request.too_large', message: expect.stringContaining('in parts') as string };
    expect(await files.refused({ 'a/folder.yaml': 'a: b\n'.repeat(20_000) })).toMatchObject(tooLarge);
    const big = `name: A\nx: [${'a,'.repeat(45_000)}]\n`;
    const all = Object.fromEntries(Array.from({ length: 25 }, (_, number) => [`d${number}/folder.yaml`, big]));
    expect(await files.refused(all)).toMatchObject(tooLarge);
  });

  const deep: [string, string][] = [
    ['brackets', `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
    ['brackets that comments seem to close', '[ #]\n'.repeat(5_000)],
    ['mappings that never end', '{a: '.repeat(5_000)],
    ['lists that begin in one line', `\n  ${'- '.repeat(5_000)}a`],
    ['indentation', Array.from({ length: 2_000 }, (_, level) => `\n${' '.repeat(level + 1)}a:`).join('')],
    ['levels that are just more than a request may have', `${'['.repeat(260)}${']'.repeat(260)}`],
  ];
  it.each(deep)('what is nested without end: %s', async (_what, text) => {
    const error = await files.refused({ 'a/folder.yaml': `name: A\nposition: ${text}\n` });
    expect(error).toMatchObject({ status: 400, code: 'import.invalid' });
    expect(error.message).toContain('a/folder.yaml is nested too deeply');
  });

  it('aliases and keys that stand twice, by their lines', async () => {
    const laughs = 'a: &a [x, x]\nb: &b [*a]\nname: L\nname: M\n';
    expect((await files.refused({ 'a/folder.yaml': laughs })).details).toEqual([
      { path: 'a/folder.yaml:4', message: 'name stands here twice' },
      { path: 'a/folder.yaml:2', message: 'Aliases are not taken' },
    ]);
  });

  it('everything in it that is no plain file, at once', async () => {
    const bytes = await archiveOf([
      { name: '../plinth.yaml' },
      { name: 'a', type: 'symlink', linkname: '/etc/passwd' },
    ]);
    expect(placesOf(await files.refusedBytes(bytes))).toEqual(['../plinth.yaml', 'a', 'plinth.yaml']);
  });

  it('with every problem, by file and line', async () => {
    const error = await files.refused({
      'plinth.yaml': 'version: 2\n',
      'a/folder.yaml': 'name: A\nposition: high\n',
      'b/folder.yaml': 'name: [',
      'c/folder.yaml': '- A\n',
      'd/x.report.yaml': report(files.publicId()),
      'e/folder.yaml': folder('E'),
      'e/x.report.yaml': 'name: X\npublicId: short\nextra: 1\n',
      'e/readme.md': 'name: x\n',
      'f/workbook.yaml': 'name: F\nslug: f\nmeta: 7\n',
      'f/dashboard.yaml': 'title: T\nwidgets:\n  - id: a\n    type: NOTHING\n',
      'f/g/folder.yaml': folder('G'),
      'g/dashboard.yaml': 'title: T\n',
      'h/folder.yaml': folder('H'),
      'h/workbook.yaml': 'name: H\nslug: h\n',
      'folder.yaml': folder('Root'),
    });
    expect(error.code).toBe('import.invalid');
    expect(placesOf(error).sort()).toEqual([
      'a/folder.yaml:2',
      'b/folder.yaml:1',
      'c/folder.yaml:1',
      'd/x.report.yaml',
      'e/readme.md',
      'e/x.report.yaml:2',
      'e/x.report.yaml:3',
      'f/dashboard.yaml:3',
      'f/dashboard.yaml:4',
      'f/g/folder.yaml',
      'f/workbook.yaml:3',
      'folder.yaml',
      'g/dashboard.yaml',
      'h/folder.yaml',
      'h/workbook.yaml',
      'plinth.yaml:1',
    ]);
  });

  it('a slug or a public id that stands in it twice, and charts of reports that are nowhere', async () => {
    const id = files.publicId();
    const workbook = 'name: W\nslug: Same\n';
    const written = {
      'a/workbook.yaml': workbook,
      'a/dashboard.yaml': chart('Nowhere00001'),
      'b/workbook.yaml': workbook,
    };
    const error = await files.refused({ ...written, 'x.report.yaml': report(id), 'y.report.yaml': report(id) });
    expect(placesOf(error).sort()).toEqual(['a/dashboard.yaml:6', 'b/workbook.yaml:2', 'y.report.yaml:2']);
  });

  it('charts of reports that it would delete, and published ones of reports of another deployment', async () => {
    const mine = await files.report();
    const written = { 'a/workbook.yaml': 'name: W\nslug: w\n', 'a/dashboard.yaml': chart(mine.publicId) };
    expect(placesOf(await files.refused(written, { prune: true }))).toEqual(['a/dashboard.yaml:6']);
    const other = files.service.newTenant();
    const foreign = await put(files.service.database, other, 'REPORT');
    const published = `config:\n${chart(foreign).replace(/^/gm, '  ').trimEnd()}\n`;
    const error = await files.refused({ 'a/workbook.yaml': 'name: W\nslug: w\n', 'a/published.yaml': published });
    expect(error).toMatchObject({ status: 400, message: expect.stringContaining('names no report') as string });
    expect(Object.keys(await exported())).toEqual(['plinth.yaml', `${mine.publicId}.report.yaml`]);
  });

  it('public ids of other deployments, and slugs of workbooks that the caller may not read', async () => {
    const here = await files.report();
    const sibling = files.service.newTenant().deploymentId;
    files.service.deployments.set(sibling, { tenantId: admin.tenantId });
    const bytes = await archiveOf({ ...manifest, 'x.report.yaml': report(here.publicId) });
    const upload = (async function* () {
      yield bytes;
    })();
    const at = { path: { deploymentId: sibling }, upload };
    expect(await files.service.error(admin, 'importWorkspace', at)).toMatchObject({
      status: 409,
      code: 'import.conflict',
      details: [{ path: 'x.report.yaml:2', message: expect.stringContaining('elsewhere') as string }],
    });
    await files.workbook({ name: 'Hidden' }, 'hidden');
    const error = await files.refused({ 'w/workbook.yaml': 'name: W\nslug: hidden\n' }, {}, user);
    expect([error.code, placesOf(error)]).toEqual(['import.conflict', ['w/workbook.yaml:2']]);
  });

  it('what the caller may not do, each by its file, and nothing of it has happened', async () => {
    const closed = await files.folder('Closed');
    const mine = await files.report({ name: 'Readable', folderId: closed });
    grant(files.service, user, ['FOLDER', closed, 'read']);
    const written = {
      'closed/folder.yaml': 'name: Closed\nposition: 4\n',
      'closed/new/folder.yaml': folder('New'),
      'closed/r.report.yaml': report(mine.publicId, 'Renamed'),
      'own/folder.yaml': folder('Own'),
    };
    const error = await files.refused(written, {}, user);
    expect([error.status, error.code]).toEqual([403, 'import.refused']);
    expect(placesOf(error).sort()).toEqual(['closed/folder.yaml', 'closed/new/folder.yaml', 'closed/r.report.yaml']);
    expect(Object.keys(await exported())).not.toContain('own/folder.yaml');
    grant(files.service, user, ['REPORT', mine.id, 'edit']);
    const moved = { 'closed/folder.yaml': folder('Closed'), 'r.report.yaml': report(mine.publicId, 'Readable') };
    expect((await files.refused(moved, {}, user)).details).toEqual([
      { path: 'r.report.yaml', message: 'needs the right to manage "Readable"' },
    ]);
    expect((await files.refused({}, { prune: true }, user)).code).toBe('import.refused');
  });

  it('callers without the tier for it, and of other tenants', async () => {
    const viewer = { ...user, grants: user.grants.filter(({ action }) => action !== 'AIBIExplore') };
    expect((await files.refused({}, {}, viewer)).code).toBe('access.denied');
    expect((await files.refused({}, {}, files.service.newTenant().admin)).code).toBe('deployment.not_found');
  });

  it('what fails half way, and takes back what was done before', async () => {
    const levels = Array.from({ length: 11 }, (_, depth) => [
      `${'d/'.repeat(depth + 1)}folder.yaml`,
      folder(`D${depth}`),
    ]);
    const error = await files.refused(Object.fromEntries(levels) as Record<string, string>);
    expect(error.code).toBe('folder.too_deep');
    expect(placesOf(error)).toEqual([`${'d/'.repeat(11)}folder.yaml`]);
    expect(await exported()).toEqual(manifest);
  });
});

it('an export refuses more than an archive may have', async () => {
  await files.service.database.transaction(admin.tenantId, async (tx) => {
    await managerFor(tx).query(
      `insert into item (tenant_id, deployment_id, type, name, position)
       select $1, $2, 'FOLDER', 'F' || n, n from generate_series(1, 10001) n`,
      [admin.tenantId, path.deploymentId],
    );
  });
  const refusal = await files.service.refusal(admin, 'exportWorkspace', { path });
  expect(refusal).toEqual({ status: 409, code: 'workspace.too_large' });
});
