import type { ApiClient, ApiReply } from './harness/api-client';
import { startSeparateServices, type SeparateServices } from './harness/separate-services';
import { createDeployment, openDevBranch, uniqueName } from './harness/story';
import { topologies } from './harness/topologies';
import type { Topology } from './harness/topology';
import { until } from './harness/poll';

const key = (value: string) => ({ headers: { 'idempotency-key': value } });

const creation = (name: string) => ({
  name,
  cloudProvider: 'cubecloud' as const,
  region: 'local',
  targetPlatform: 'aws',
  isManaged: true,
  creationStep: 'project' as const,
});

const isReplay = ({ headers }: ApiReply): boolean => headers['idempotent-replayed'] === 'true';

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

describe('a service that is killed in the middle of a request', () => {
  let topology: SeparateServices;
  const lost: Promise<ApiReply>[] = [];

  beforeAll(async () => {
    topology = await startSeparateServices({ buildWorkers: 1 });
  });
  afterAll(() => topology?.stop());

  /** Sends the request to a service that dies at the failpoint, and again with the same key once it is back. */
  async function acrossCrash(service: string, failpoint: string, send: () => Promise<ApiReply>): Promise<ApiReply> {
    const doomed = await topology.restart(service, { PLINTH_FAILPOINT: failpoint });
    lost.push(send());
    await doomed.ended();
    await topology.restart(service);
    return until('the reply after the crash', send, ({ status }) => status < 500 && status !== 409);
  }

  it.each(['mutate.after-claim', 'mutate.after-work', 'mutate.before-commit', 'mutate.after-commit'])(
    'creates one deployment when it dies at %s',
    async (failpoint) => {
      const { admin } = topology;
      const name = uniqueName('Crash');
      const request = { body: creation(name), ...key(`create-${failpoint}`) };
      const send = () => admin.attempt('createDeployment', request);
      const reply = await acrossCrash('control-plane', failpoint, send);
      expect(reply).toMatchObject({ status: 200, body: { name } });
      expect((await send()).body).toEqual(reply.body);
      const { items } = await admin.call('getDeployments', { query: { first: 500 } });
      expect(items.filter((deployment) => deployment.name === name)).toHaveLength(1);
    },
  );

  it.each(['journal.after-intent', 'journal.after-refs', 'journal.before-commit', 'journal.after-commit'])(
    'writes a file once when it dies at %s, and leaves the branch whole',
    async (failpoint) => {
      const { admin } = topology;
      const { id: deploymentId } = await createDeployment(admin);
      const path = { deploymentId };
      await openDevBranch(admin, deploymentId);
      const before = await lastHash(admin, deploymentId);
      const body = { files: [{ path: 'model/cubes/a.yml', content: `cubes: [] # ${failpoint}\n` }] };
      const send = () => admin.attempt('updateFiles', { path, body, ...key(`write-${failpoint}`) });
      const reply = await acrossCrash('build-worker-1', failpoint, send);
      expect(reply).toMatchObject({ status: 200, body: { success: true } });
      const after = await lastHash(admin, deploymentId);
      expect(after).not.toBe(before);
      expect(isReplay(await send())).toBe(true);
      expect(await lastHash(admin, deploymentId)).toBe(after);
      const hashes = await admin.call('fileHashes', { path });
      expect(Object.keys(hashes)).toContain('model/cubes/a.yml');
    },
  );

  it('leaves no caller without an answer: each lost request ends with a server error that may be retried', async () => {
    const statuses = (await Promise.all(lost)).map(({ status }) => status);
    expect(statuses).toHaveLength(8);
    expect(statuses.every((status) => status === 503 || status === 504)).toBe(true);
  });
});

/** Head of the caller's personal branch. */
async function lastHash(admin: ApiClient, deploymentId: number): Promise<string | null | undefined> {
  const { items } = await admin.call('listBranches', { path: { deploymentId } });
  return items.find(({ name }) => name.startsWith('dev-'))?.lastHash;
}
