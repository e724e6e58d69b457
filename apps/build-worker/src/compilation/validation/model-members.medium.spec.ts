import 'reflect-metadata';
import { systemPrincipal, type Principal } from '@plinth/auth';
import { put, startFixture, type Fixture } from '../../testing/fixture';

let platform: Fixture;
let admin: Principal;
let path: { deploymentId: number };

beforeAll(async () => {
  platform = await startFixture();
});
afterAll(() => platform?.stop());
beforeEach(() => {
  ({ admin, path } = platform.newDeployment());
});

const model = `cubes:
  - name: orders
    sql_table: orders
    measures:
      - name: count
        type: count
      - name: secret
        type: count
        public: false
    dimensions:
      - name: id
        sql: id
        type: number
        primary_key: true
      - name: status
        sql: status
        type: string
    segments:
      - name: open
        sql: "{CUBE}.status = 'open'"
views:
  - name: sales
    cubes:
      - join_path: orders
        includes: [count, status]
`;
const enter = async () => (await platform.call(admin, 'startDevMode', { path })).branchName ?? '';
const write = (content: string) =>
  platform.call(admin, 'updateFiles', { path, body: put('model/orders.yml', content) });
const system = () => systemPrincipal(admin.tenantId);
const describeBranch = (branchName?: string) =>
  platform.call(system(), 'describeModelMembers', { body: { ...path, branchName } });

describe('the members of a branch', () => {
  it("are told to the platform alone, and not of another tenant's or an unknown branch", async () => {
    const refusal = async (principal: Principal, branchName?: string) =>
      (await platform.refusal(principal, 'describeModelMembers', { body: { ...path, branchName } })).code;
    expect(await refusal(admin)).toBe('access.denied');
    expect(await refusal(systemPrincipal(platform.newDeployment().admin.tenantId))).toBe('deployment.not_found');
    expect(await refusal(system(), 'nowhere')).toBe('branch.not_found');
  });

  it('are refused with the errors when the model does not compile', async () => {
    const branchName = await enter();
    await write('cubes:\n  - name: a\n   sql_table: b\n');
    const error = await platform.refusal(system(), 'describeModelMembers', { body: { ...path, branchName } });
    expect(error).toMatchObject({ status: 409, code: 'data_model.invalid' });
    expect(error.details).toEqual([
      { path: 'model/orders.yml', message: expect.stringMatching(/^Line 3: Syntax error/) },
    ]);
  });

  it('are refused when there are more than anybody wants to carry', async () => {
    const branchName = await enter();
    const name = 'x'.repeat(1_000);
    await platform.call(admin, 'updateFiles', {
      path,
      body: put(
        'model/many.js',
        `const measures = {}; for (let n = 0; n < 1100; n++) measures['${name}' + n] = { type: 'count' };
         cube('many', { sql_table: 'many', measures });`,
      ),
    });
    const error = await platform.refusal(system(), 'describeModelMembers', { body: { ...path, branchName } });
    expect(error).toMatchObject({ status: 409, code: 'data_model.too_large' });
  });

  it('are those of cubes and views, also what is not public', async () => {
    const branchName = await enter();
    await write(model);
    expect(await describeBranch(branchName)).toEqual({
      branchName,
      cubes: [
        {
          name: 'orders',
          kind: 'cube',
          measures: ['count', 'secret'],
          dimensions: ['id', 'status'],
          segments: ['open'],
        },
        { name: 'sales', kind: 'view', measures: ['count'], dimensions: ['status'], segments: [] },
      ],
    });
  });

  it('are none of the deploy branch before there is a model, and of no branch named', async () => {
    expect(await describeBranch()).toEqual({ branchName: 'main', cubes: [] });
  });
});
