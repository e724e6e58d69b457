import 'reflect-metadata';
import { systemPrincipal } from '@plinth/auth';
import { startWorkspace, type WorkspaceFixture } from '../testing/workspace-fixture';

describe('charts of others', () => {
  let workspace: WorkspaceFixture;
  let tenant: ReturnType<WorkspaceFixture['newTenant']>;

  beforeAll(async () => {
    workspace = await startWorkspace();
  });
  afterAll(() => workspace?.stop());
  beforeEach(() => {
    tenant = workspace.newTenant();
  });

  const bodyOf = (spec: object) => ({ spec, columns: [{ name: 'n', type: 'number' }], rows: [['7']] });
  const problemOf = async (spec: object) =>
    (await workspace.call(systemPrincipal(tenant.tenantId), 'checkChart', { body: bodyOf(spec) })).problem;

  it('are for the platform alone to try out', async () => {
    const body = bodyOf({ mark: 'bar' });
    expect(await workspace.refusal(tenant.admin, 'checkChart', { body })).toMatchObject({ status: 403 });
  });

  it('are drawn, and what is wrong with them is told', async () => {
    const encoding = { y: { field: 'n', type: 'quantitative' } };
    expect(await problemOf({ mark: 'nothing', encoding })).toMatch(/could not be drawn/);
    expect(await problemOf({ mark: 'bar', data: { url: 'http://127.0.0.1/x.json' }, encoding })).toMatch(
      /could not be drawn/,
    );
    expect(await problemOf({ mark: 'bar', encoding })).toBeNull();
  });
});
