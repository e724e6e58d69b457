import { freePort } from '@plinth/local-services';
import { until } from '@plinth/testing';
import { AcknowledgedWrites } from './harness/acknowledged-writes';
import type { ApiClient, ApiReply } from './harness/api-client';
import { childrenOf, isRunning, type ChildService } from './harness/child-service';
import { creation, isReplay, key } from './harness/idempotency';
import { startOneProcess } from './harness/one-process';
import { startSeparateServices, type SeparateServices } from './harness/separate-services';
import { createDeployment, openDevBranch, uniqueName } from './harness/story';
import type { Topology } from './harness/topology';

/** A request that goes wrong where a fault is planted for its id. */
const planted = 'planted-1';
const faulty = (api: ApiClient, method: string, path: string, body?: unknown) =>
  api.send(method, path, { headers: { 'x-request-id': planted }, ...(body !== undefined && { body }) });

const faultLine = (service: ChildService) =>
  service.waitForLine((line) => line.includes('"level":"fatal"')).then((line) => JSON.parse(line) as unknown);

/** Where nobody can say whether it was done. The crash suites of the database and of the journal die at every step. */
const mutationStep = 'mutate.after-commit';
const journalStep = 'journal.after-refs';
const doomed = 'doomed-1';
const planting = (step: string, fault: string) => `${step}@${doomed},${fault}@${planted}`;

/** Each fault is for one request alone, so one platform serves for all of them. */
let topology: SeparateServices;

beforeAll(async () => {
  topology = await startSeparateServices({
    buildWorkers: 1,
    runtimes: 0,
    services: ['scim'],
    settings: {
      gateway: { PLINTH_PORT: String(await freePort()), PLINTH_FAILPOINT: `request.listRegions:throw@${planted}` },
      'control-plane': { PLINTH_FAILPOINT: planting(mutationStep, 'call.createApiKey:reject') },
      'build-worker-1': { PLINTH_FAILPOINT: planting(journalStep, 'call.updateFiles:throw') },
      scim: { PLINTH_FAILPOINT: `call.listScimUsers:throw@${planted}` },
    },
  });
});
afterAll(() => topology?.stop());

/** What the killed services were asked: answered once the gateway gives them up. Until then the tests of the one process run. */
const lost: Promise<ApiReply>[] = [];

describe('a service that is killed in the middle of a request', () => {
  /** Sends the request to the service, which dies of it, and again with the same key once it is back. */
  async function acrossCrash(
    service: string,
    send: (headers?: Record<string, string>) => Promise<ApiReply>,
  ): Promise<ApiReply> {
    lost.push(send({ 'x-request-id': doomed }));
    await topology.processes.get(service)?.ended();
    await topology.restart(service);
    return until(
      'the reply after the crash',
      () => send(),
      ({ status }) => status < 500 && status !== 409,
    );
  }

  it(`creates one deployment when it dies at ${mutationStep}`, async () => {
    const { admin } = topology;
    const name = uniqueName('Crash');
    const { headers } = key('create');
    const send = (more = {}) =>
      admin.attempt('createDeployment', { body: creation(name), headers: { ...headers, ...more } });
    const reply = await acrossCrash('control-plane', send);
    expect(reply).toMatchObject({ status: 200, body: { name } });
    expect((await send()).body).toEqual(reply.body);
    const { items } = await admin.call('getDeployments', { query: { first: 500 } });
    expect(items.filter((deployment) => deployment.name === name)).toHaveLength(1);
  });

  it(`writes a file once when it dies at ${journalStep}, and leaves the branch whole`, async () => {
    const { admin } = topology;
    const { id: deploymentId } = await createDeployment(admin);
    const path = { deploymentId };
    await openDevBranch(admin, deploymentId);
    const before = await lastHash(admin, deploymentId);
    const body = { files: [{ path: 'model/cubes/a.yml', content: 'cubes: []\n' }] };
    const { headers } = key('write');
    const send = (more = {}) => admin.attempt('updateFiles', { path, body, headers: { ...headers, ...more } });
    const reply = await acrossCrash('build-worker-1', send);
    expect(reply).toMatchObject({ status: 200, body: { success: true } });
    const after = await lastHash(admin, deploymentId);
    expect(after).not.toBe(before);
    expect(isReplay(await send())).toBe(true);
    expect(await lastHash(admin, deploymentId)).toBe(after);
    const hashes = await admin.call('fileHashes', { path });
    expect(Object.keys(hashes)).toContain('model/cubes/a.yml');
  });
});

describe('an error that nobody handles in the one process', () => {
  let topology: Topology;

  afterAll(() => topology?.stop());

  it('costs that request alone, and the process is replaced without the loss of an acknowledged write', async () => {
    topology = await startOneProcess({
      PLINTH_PORT: String(await freePort()),
      PLINTH_FAILPOINT: `call.updateFiles:throw@${planted}`,
    });
    const { admin, processes } = topology;
    const { id: deploymentId } = await createDeployment(admin);
    await openDevBranch(admin, deploymentId);
    const writes = new AcknowledgedWrites(admin, deploymentId);
    const target = `/build/api/v1/deployments/${deploymentId}/data-model/files`;
    expect((await faulty(admin, 'PUT', target, { files: [] })).status).toBe(500);
    const platform = processes.get('platform') as ChildService;
    expect(await faultLine(platform)).toMatchObject({ requestId: planted });
    await platform.waitForLine((line) => line.includes('ended with status 70 and is started again'));
    await until(
      'the platform to be ready again',
      async () => readyLines(platform),
      (count) => count === 2,
    );
    expect(await writes.lostOnceTheyGoOn()).toEqual([]);
  });

  it('is followed by no other end than that of the whole when the process that was started is killed', async () => {
    const platform = topology.processes.get('platform') as ChildService;
    const [child] = childrenOf(platform.pid);
    expect(child).toBeDefined();
    platform.kill('SIGKILL');
    await until(
      'the platform to end',
      async () => isRunning(Number(child)),
      (running) => !running,
    );
    await expect(fetch(topology.admin.baseUrl)).rejects.toThrow();
    expect(platform.lines.filter((line) => line.includes('could not stop in order'))).toEqual([]);
  });
});

it('no caller is left without an answer: each lost request ends with a server error that may be retried', async () => {
  const statuses = (await Promise.all(lost)).map(({ status }) => status);
  expect(statuses).toHaveLength(2);
  expect(statuses.every((status) => status === 503 || status === 504)).toBe(true);
});

/** What is wrong with the services that are started again, once no write needs them. */
const nextFaults: Record<string, string> = {
  gateway: 'none',
  'control-plane': 'operations./metrics:throw',
  'build-worker-1': 'operations./metrics:reject',
};

describe('an error that nobody handles in a service of its own', () => {
  let writes: AcknowledgedWrites;
  let path: { deploymentId: number };

  beforeAll(async () => {
    path = { deploymentId: (await createDeployment(topology.admin)).id };
    await openDevBranch(topology.admin, path.deploymentId);
    writes = new AcknowledgedWrites(topology.admin, path.deploymentId);
  });
  afterAll(() => writes?.stop());

  it.each([
    ['gateway', 'GET', '/api/v1/regions', undefined],
    ['control-plane', 'POST', '/api/v1/api-keys', { name: 'planted' }],
    ['build-worker-1', 'PUT', '/build/api/v1/deployments/ID/data-model/files', { files: [] }],
    ['scim', 'GET', '/api/scim/v2/Users', undefined],
  ])(
    'costs the %s that request alone, is logged with its id and cause, and ends the process',
    async (name, method, target, body) => {
      const service = topology.processes.get(name) as ChildService;
      const reply = await faulty(topology.admin, method, target.replace('ID', String(path.deploymentId)), body);
      expect(reply.status).toBe(500);
      expect(await faultLine(service)).toMatchObject({
        requestId: planted,
        err: { message: expect.stringContaining('planted'), cause: { message: 'by a test' } },
      });
      expect(await service.ended()).toBe(70);
      const nextFault = nextFaults[name];
      if (nextFault !== undefined) await topology.restart(name, { PLINTH_FAILPOINT: nextFault });
    },
  );

  it('loses no acknowledged write', async () => {
    expect(await writes.lostOnceTheyGoOn()).toEqual([]);
  });

  it.each(['control-plane', 'build-worker-1'])(
    'ends the process of the %s when it belongs to no request',
    async (name) => {
      const service = topology.processes.get(name) as ChildService;
      const { operationsPort } = JSON.parse(await service.waitForLine((line) => line.includes('"msg":"ready"'))) as {
        operationsPort: number;
      };
      await fetch(`http://127.0.0.1:${operationsPort}/metrics`).catch(() => undefined);
      expect(await faultLine(service)).toMatchObject({ err: { cause: { message: 'by a test' } } });
      expect(await service.ended()).toBe(70);
    },
  );
});

const readyLines = ({ lines }: ChildService): number => lines.filter((line) => line.startsWith('ready http')).length;

/** Head of the caller's personal branch. */
async function lastHash(admin: ApiClient, deploymentId: number): Promise<string | null | undefined> {
  const { items } = await admin.call('listBranches', { path: { deploymentId } });
  return items.find(({ name }) => name.startsWith('dev-'))?.lastHash;
}
