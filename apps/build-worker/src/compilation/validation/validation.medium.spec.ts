import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { SAMPLE_PROJECT_CUBES, sampleProject } from '@plinth/testing';
import { cube, put, startFixture, type Fixture } from '../../testing/fixture';

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

const validate = (query: Record<string, unknown> = {}) => platform.call(admin, 'validateDataModel', { path, query });
const refusal = async (query: Record<string, unknown>) =>
  (await platform.refusal(admin, 'validateDataModel', { path, query })).code;
const enter = async () => (await platform.call(admin, 'startDevMode', { path })).branchName ?? '';
const write = (files: object[]) => platform.call(admin, 'updateFiles', { path, body: { files } });

describe('validation', () => {
  it('is refused for both ways to name a branch, for dev mode that is not open, and for an unknown branch', async () => {
    expect(await refusal({ devMode: true, branchName: 'main' })).toBe('request.invalid');
    expect(await refusal({ devMode: true })).toBe('request.invalid');
    expect(await refusal({ branchName: 'nothing' })).toBe('branch.not_found');
  });

  it('answers an invalid model with the file and the line', async () => {
    const branchName = await enter();
    await write(put('model/cubes/orders.yml', 'cubes:\n  - name: a\n   sql_table: b\n').files);
    expect(await validate({ devMode: true })).toMatchObject({
      deploymentId: path.deploymentId,
      branchName,
      mode: 'dev_mode',
      valid: false,
      cubesCount: null,
      errors: [{ fileName: 'model/cubes/orders.yml', message: expect.stringMatching(/^Line 3: Syntax error/) }],
    });
  });

  it('compiles the deploy branch unless told otherwise, also while dev mode is open', async () => {
    const branchName = await enter();
    await write(sampleProject());
    expect(await validate()).toMatchObject({ branchName: 'main', mode: 'production', valid: true, cubesCount: 0 });
    expect(await validate({ branchName: ' ' })).toMatchObject({ branchName: 'main' });
    const valid = { branchName, mode: 'dev_mode', valid: true, cubesCount: SAMPLE_PROJECT_CUBES, errors: [] };
    expect(await validate({ branchName })).toMatchObject(valid);
    expect(await validate({ devMode: true })).toMatchObject(valid);
  });

  it('sees the project folder alone', async () => {
    ({ admin, path } = platform.newDeployment({ deployProjectRoot: 'shop' }));
    await enter();
    await write([...put('shop/model/a.yml', cube('a')).files, ...put('model/b.yml', 'broken: [').files]);
    expect(await validate({ devMode: true })).toMatchObject({ valid: true, cubesCount: 1 });
  });
});
