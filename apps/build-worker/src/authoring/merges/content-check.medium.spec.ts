import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import { cube, put, startFixture, type Fixture } from '../../testing/fixture';
import type { ContentReport } from '../../testing/worker-harness';

const intact: ContentReport = { items: [], unnamed: 0 };
const revenue: ContentReport['items'][number] = {
  type: 'REPORT',
  id: 12,
  name: 'Revenue',
  publicId: 'Revenue00001',
  slug: null,
  dashboard: null,
  widgetId: null,
  widgetType: null,
  user: { id: 7, email: 'ana@acme.test', firstName: null, picture: null },
  folderPath: [{ id: 31, name: 'Sales' }],
  missingMembers: ['a.id'],
  missingReportId: null,
};
const city: ContentReport['items'][number] = {
  ...revenue,
  type: 'DASHBOARD_WIDGET',
  id: 13,
  name: 'Board',
  dashboard: 'draft',
  widgetId: 'w1',
  widgetType: 'CHART',
  user: null,
  folderPath: [],
  missingMembers: [],
  missingReportId: 99,
};

let platform: Fixture;
let admin: Principal;
let path: { deploymentId: number };
let answer: () => ContentReport;
let asked: { principal: Principal; cubes: string[] }[];

beforeAll(async () => {
  platform = await startFixture(undefined, {}, async ({ principal, body }) => {
    asked.push({ principal, cubes: body.cubes.map(({ name }) => name) });
    return answer();
  });
});
afterAll(() => platform?.stop());
beforeEach(async () => {
  ({ admin, path } = platform.newDeployment());
  [answer, asked] = [() => intact, []];
  await platform.call(admin, 'createBranch', { path, body: { name: 'feature' } });
});

const write = async (content: string) => {
  const branchName = (await platform.call(admin, 'startDevMode', { path, body: { branchName: 'feature' } })).branchName;
  await platform.call(admin, 'updateFiles', { path, body: { branchName, ...put('model/b.yml', content) } });
  await platform.call(admin, 'commitChanges', { path, body: { branchName, message: 'Change it' } });
};
const body = { branchName: 'feature', failOnBrokenContent: true };
const refusal = () => platform.refusal(admin, 'mergeToDefaultBranch', { path, body });
const heads = async () =>
  (await platform.call(admin, 'listBranches', { path })).items.map(({ name, lastHash }) => [name, lastHash]);

describe('a merge that must not break content', () => {
  it('is refused with what it would break, and changes nothing', async () => {
    await write(cube('b'));
    answer = () => ({ items: [revenue, city], unnamed: 3 });
    const before = await heads();
    expect(await refusal()).toMatchObject({
      status: 409,
      code: 'merge.breaks_content',
      message: 'The merge would break 5 reports and widgets',
      details: [
        { path: '/Sales/Revenue', message: 'REPORT 12, owned by ana@acme.test, misses a.id' },
        { path: '/Board/draft dashboard/w1', message: 'DASHBOARD_WIDGET 13, misses report 99' },
        { path: '', message: '3 more, among them those that you may not read' },
      ],
    });
    expect(await heads()).toEqual(before);
    answer = () => ({ items: [], unnamed: 1 });
    expect((await refusal()).code).toBe('merge.breaks_content');
  });

  it('is refused when its result does not compile, without asking for content', async () => {
    await write('cubes:\n  - name: a\n   sql_table: b\n');
    const before = await heads();
    expect(await refusal()).toMatchObject({
      code: 'data_model.invalid',
      details: [{ path: 'model/b.yml', message: expect.stringContaining('Line 3') }],
    });
    expect(asked).toEqual([]);
    expect(await heads()).toEqual(before);
  });

  it('is refused when workspaces do not answer', async () => {
    await write(cube('b'));
    answer = () => {
      throw new AppError('service.unavailable', 'Not now');
    };
    const before = await heads();
    expect((await refusal()).code).toBe('service.unavailable');
    expect(await heads()).toEqual(before);
  });

  it('happens when all is in order, seen on the model as it is after the merge', async () => {
    await write(cube('b'));
    await platform.call(admin, 'createBranch', { path, body: { name: 'other' } });
    const branchName = (await platform.call(admin, 'startDevMode', { path, body: { branchName: 'other' } })).branchName;
    await platform.call(admin, 'updateFiles', { path, body: { branchName, ...put('model/c.yml', cube('c')) } });
    await platform.call(admin, 'commitChanges', { path, body: { branchName, message: 'Add c' } });
    await platform.call(admin, 'mergeToDefaultBranch', { path, body: { branchName: 'other' } });
    expect(asked).toEqual([]);
    const merged = await platform.call(admin, 'mergeToDefaultBranch', { path, body });
    expect(merged).toEqual({ merged: true, branchDeleted: true });
    expect(asked).toEqual([{ principal: expect.objectContaining({ userId: admin.userId }), cubes: ['b', 'c'] }]);
  });

  it('that changes nothing asks for nothing', async () => {
    await platform.call(admin, 'mergeToDefaultBranch', { path, body });
    expect(asked).toEqual([]);
  });
});
