import { GROUP } from '@plinth/scim-protocol';
import { until } from '@plinth/testing';
import { creation, isReplay, key } from './harness/idempotency';
import { ScimResources } from './harness/scim-resources';
import { createDeployment, uniqueName } from './harness/story';
import { topologies } from './harness/topologies';
import type { Topology } from './harness/topology';

describe.each(topologies)('a request that carries an Idempotency-Key: %s', (_name, start) => {
  let topology: Topology;

  beforeAll(async () => {
    topology = await start();
  });
  afterAll(() => topology?.stop());

  it('has one effect when it is sent again, and the same reply', async () => {
    const { admin } = topology;
    const request = { body: creation(uniqueName('Once')), ...key('once') };
    const first = await admin.attempt('createDeployment', request);
    expect(isReplay(first)).toBe(false);
    const again = await admin.attempt('createDeployment', request);
    expect(again).toMatchObject({ status: first.status, body: first.body });
    expect(isReplay(again)).toBe(true);
  });

  it('gets a secret again that is otherwise shown once', async () => {
    const { admin } = topology;
    const request = { body: { name: 'retried' }, ...key('secret') };
    const { token } = await admin.call('createApiKey', request);
    expect(await admin.call('createApiKey', request)).toMatchObject({ token });
  });

  it('is refused with 422 when its key belonged to another request', async () => {
    const { admin } = topology;
    await admin.call('createApiKey', { body: { name: 'one' }, ...key('reused') });
    const refusal = await admin.refusal('createApiKey', { body: { name: 'two' }, ...key('reused') });
    expect(refusal).toMatchObject({ status: 422, code: 'idempotency.key_reused' });
  });

  it('shares its key with no other credential', async () => {
    const { admin } = topology;
    const { token } = await admin.call('createApiKey', { body: { name: 'other credential' } });
    await admin.call('createApiKey', { body: { name: 'one' }, ...key('private') });
    const other = admin.as(`Bearer ${token}`);
    expect((await other.call('createApiKey', { body: { name: 'two' }, ...key('private') })).name).toBe('two');
  });

  it('shares its key with no other operation', async () => {
    const { admin } = topology;
    await admin.call('createApiKey', { body: { name: 'one' }, ...key('two-operations') });
    const name = uniqueName('Two operations');
    expect((await admin.call('createUserGroup', { body: { name }, ...key('two-operations') })).name).toBe(name);
  });

  it('has one effect by SCIM, which keeps nothing itself', async () => {
    const { token } = await topology.admin.call('createScimToken', { body: { name: 'Okta' } });
    const groups = new ScimResources(topology.admin.as(`Bearer ${token}`), 'Groups');
    const request = { schemas: [GROUP], displayName: uniqueName('Once by SCIM') };
    const [first, again] = [await groups.post(request, key('scim')), await groups.post(request, key('scim'))];
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect([first, again].map(isReplay)).toEqual([false, true]);
  });

  it.each(['', 'x'.repeat(256), 'with space'])('is refused with 400 for the key %j', async (value) => {
    const refusal = await topology.admin.refusal('createApiKey', { body: {}, ...key(value) });
    expect(refusal).toMatchObject({ status: 400, code: 'idempotency.key_invalid' });
  });

  it('may be sent again with the key after it was refused', async () => {
    const { admin } = topology;
    const name = uniqueName('Refused first');
    const taken = await createDeployment(admin, name);
    const request = { body: creation(name), ...key('after-refusal') };
    expect(await admin.refusal('createDeployment', request)).toMatchObject({ status: 409 });
    await admin.call('deleteDeployment', { path: { deploymentId: taken.id } });
    expect(await admin.call('createDeployment', request)).toMatchObject({ name });
  });

  it('has one effect when it is sent many times at once: each answer is the reply or 409', async () => {
    const { admin } = topology;
    const name = uniqueName('At once');
    const request = { body: creation(name), ...key('at-once') };
    const replies = await Promise.all(Array.from({ length: 10 }, () => admin.attempt('createDeployment', request)));
    const statuses = new Set(replies.map(({ status }) => status));
    expect([...statuses].every((status) => [200, 409].includes(status))).toBe(true);
    const last = await until(
      'the reply of the one that ran',
      () => admin.attempt('createDeployment', request),
      ({ status }) => status === 200,
    );
    expect(isReplay(last)).toBe(true);
    const { items } = await admin.call('getDeployments', { query: { first: 500 } });
    expect(items.filter((deployment) => deployment.name === name)).toHaveLength(1);
  });
});
