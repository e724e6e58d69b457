import 'reflect-metadata';
import { systemPrincipal, type Principal } from '@plinth/auth';
import { until } from '@plinth/testing';
import {
  newAdmin,
  newDeployment,
  startFixture,
  transports,
  walk,
  type Fixture,
} from '../../testing/deployment-fixture';
import { mask } from './env-variable-rules';

interface Variable {
  name: string;
  value: string;
}

describe.each(transports)('environment variables over %s', (transport) => {
  let platform: Fixture;
  let admin: Principal;
  let path: { deploymentId: number };

  beforeAll(async () => {
    platform = await startFixture(transport);
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    admin = newAdmin();
    const { id } = await platform.call(admin, 'createDeployment', { body: newDeployment('Sales') });
    path = { deploymentId: id };
  });

  const request = (variables: Variable[]) => ({ path, body: { env_variables: variables } });
  const set = (...variables: Variable[]) => platform.call(admin, 'setEnvVariables', request(variables));
  const list = (query: object = {}) => platform.call(admin, 'getEnvVariables', { path, query: { ...query } });
  const stored = () =>
    platform.database.readAsSystem<{ row: string }>(
      {
        name: 'variable-rows',
        text: 'select row_to_json(v)::text as row from env_variable v where deployment_id = $1',
      },
      [path.deploymentId],
    );

  it.each([
    ['the mask', { name: 'DB_PASS', value: mask }],
    ['a new name that is no identifier', { name: 'A-B', value: 'x' }],
    ['a name with a null character', { name: 'A\0', value: 'x' }],
    ['a value with a null character', { name: 'A', value: 'x\0' }],
  ])('refuses %s and stores nothing of the request', async (_, wrong) => {
    const refused = request([{ name: 'FINE', value: 'x' }, wrong]);
    expect(await platform.refusal(admin, 'setEnvVariables', refused)).toBe('env_variable.invalid');
    expect(await stored()).toEqual([]);
  });

  describe('as engines run with them', () => {
    const settings = (principal = systemPrincipal(admin.tenantId)) =>
      platform.call(principal, 'describeEngineSettings', { body: path });

    it("are not another tenant's, nor a user's", async () => {
      const stranger = systemPrincipal(newAdmin().tenantId);
      expect(await platform.refusal(stranger, 'describeEngineSettings', { body: path })).toBe('deployment.not_found');
      expect(await platform.refusal(admin, 'describeEngineSettings', { body: path })).toBe('access.denied');
    });

    it('are in the clear, and have another revision after every change, of which runtimes hear at once', async () => {
      const notices = platform.notices('control-plane.deployment.changed');
      const { revision: first } = await settings();
      await set({ name: 'DB_PASS', value: 'hunter2' }, { name: 'DB_HOST', value: 'db' });
      const second = await settings();
      expect(second).toMatchObject({ ...path, region: 'local', variables: { DB_PASS: 'hunter2', DB_HOST: 'db' } });
      expect((await settings()).revision).toBe(second.revision);
      await set({ name: 'DB_PASS', value: 'hunter3' });
      const { revision: third } = await settings();
      expect(new Set([first, second.revision, third]).size).toBe(3);
      await until(
        'the notices',
        () => notices,
        (heard) => heard.length === 2,
      );
      expect(notices).toEqual([path, path]);
    });

    it('have runtimes hear of changed settings and of the end of a deployment, too', async () => {
      const notices = platform.notices('control-plane.deployment.changed');
      await platform.call(admin, 'updateDeployment', { path, body: { name: 'Other' } });
      await platform.call(admin, 'deleteDeployment', { path });
      await until(
        'the notices',
        () => notices,
        (heard) => heard.length === 2,
      );
    });
  });

  it('keeps the stored secret when a read is written back', async () => {
    await set({ name: 'DB_PASS', value: 'hunter2' });
    const [before] = await stored();
    const { items } = await list();
    expect(items).toEqual([{ name: 'DB_PASS', value: mask }]);
    expect(await platform.refusal(admin, 'setEnvVariables', request(items))).toBe('env_variable.invalid');
    expect(await stored()).toEqual([before]);
  });

  it('changes what is named, keeps the rest, and answers with the list', async () => {
    await set({ name: 'B', value: '1' }, { name: 'A', value: '1' }, { name: 'API_KEY', value: 'k' });
    const reply = await set({ name: 'B', value: '' });
    const expected = [
      { name: 'A', value: '1' },
      { name: 'API_KEY', value: mask },
      { name: 'B', value: '' },
    ];
    expect(reply).toMatchObject({ items: expected, data: expected, pageInfo: { hasNextPage: false } });
    expect(await list()).toEqual(reply);
  });

  it('stores no value in the clear', async () => {
    await set({ name: 'DB_PASS', value: 'hunter2-secret' }, { name: 'DB_HOST', value: 'db.internal.example' });
    const rows = (await stored()).map(({ row }) => row).join();
    expect(rows).toContain('DB_HOST');
    expect(rows).not.toMatch(/hunter2|db\.internal/);
  });

  it('lets a name of an old form be written again', async () => {
    const text = `insert into env_variable select deployment_id, 'old-name', tenant_id, sealed_value from env_variable where deployment_id = $1`;
    await set({ name: 'A', value: '1' });
    await platform.database.readAsSystem({ name: 'old-name', text }, [path.deploymentId]);
    expect((await set({ name: 'old-name', value: '2' })).items).toContainEqual({ name: 'old-name', value: '2' });
  });

  it('shows every variable once, in the order of code points, while others are added', async () => {
    const names = ['B', 'a', '_x', 'C', 'b', 'A1', 'A'];
    await set(...names.map((name) => ({ name, value: name })));
    const rows = await walk(
      (after) => list({ first: 2, ...(after && { after }) }),
      (page) => set({ name: `${page.at(-1)?.name}0`, value: 'new' }),
    );
    const walked = rows.map(({ name }) => name);
    expect(walked.filter((name) => names.includes(name))).toEqual([...names].sort());
    expect(new Set(walked).size).toBe(walked.length);
  });

  it('refuses the cursor of another deployment', async () => {
    await set({ name: 'A', value: '1' }, { name: 'B', value: '2' });
    const { pageInfo } = await list({ first: 1 });
    const { id } = await platform.call(admin, 'createDeployment', { body: newDeployment('Other') });
    const foreign = { path: { deploymentId: id }, query: { after: pageInfo.endCursor } };
    expect(await platform.refusal(admin, 'getEnvVariables', foreign)).toBe('request.cursor_invalid');
  });

  it('needs the permission to manage secrets, also to read', async () => {
    const reader = { ...admin, isAdmin: false, grants: [{ action: 'DeploymentUpdate', deploymentIds: null }] };
    expect(await platform.refusal(reader, 'getEnvVariables', { path })).toBe('access.denied');
    const limited = { ...admin, deploymentIds: [path.deploymentId + 1] };
    expect(await platform.refusal(limited, 'setEnvVariables', request([]))).toBe('access.deployment_out_of_scope');
  });

  it('survives writers that name the same variables in opposite order', async () => {
    const forth = Array.from({ length: 20 }, (_, index) => ({ name: `V${index}`, value: 'x' }));
    const writers = Array.from({ length: 8 }, (_, index) => set(...(index % 2 ? forth : [...forth].reverse())));
    expect((await Promise.all(writers)).every(({ items }) => items.length === 20)).toBe(true);
  });

  it('records that variables were looked at, without a value', async () => {
    await set({ name: 'DB_PASS', value: 'hunter2-secret' });
    await list();
    const seen = async () =>
      platform.database.readAsSystem<{ attributes: string }>(
        {
          name: 'audit-of-variables',
          text: `select payload->>'attributes' as attributes, payload->>'event' as event from outbox
                 where tenant_id = $1 and type = 'audit.recorded'
                 union all select attributes::text, event from audit_event where tenant_id = $1`,
        },
        [admin.tenantId],
      );
    const text = JSON.stringify(await seen());
    expect(text).toContain('Viewed environment variables');
    expect(text).toContain('DB_PASS');
    expect(text).not.toContain('hunter2');
  });
});
