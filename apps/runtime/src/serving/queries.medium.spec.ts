import 'reflect-metadata';
import { systemPrincipal, type Principal } from '@plinth/auth';
import { runInContext } from '@plinth/observability';
import { boundMs, until } from '@plinth/testing';
import type * as Engine from '@plinth/engine';
import type * as Fake from '../testing/fake-model';
import { fakeFiles, type FakeModel } from '../testing/fake-model';
import {
  engineCall,
  startRuntimes,
  transports,
  type Deployment,
  type RuntimeFixture,
} from '../testing/runtime-fixture';

jest.mock('@plinth/engine', () => ({
  ...jest.requireActual<typeof Engine>('@plinth/engine'),
  engineCommand: jest.requireActual<typeof Fake>('../testing/fake-model').fakeCommand,
}));

const REBUILDS = Number(process.env['PLINTH_TEST_REBUILDS'] ?? 3);
const serving = (model: FakeModel) => ({
  model: Object.fromEntries(fakeFiles(model).map(({ path, content }) => [path, content])),
});
const userOf = ({ tenantId }: Deployment, more: Partial<Principal> = {}): Principal => ({
  ...systemPrincipal(tenantId),
  kind: 'api-key',
  credentialId: 'api-key:1',
  userId: 7,
  ...more,
});
const limited: Partial<Principal> = {
  isAdmin: false,
  grants: ['AIBIView', 'DeploymentRead', 'DeploymentUpdate'].map((action) => ({ action, deploymentIds: null })),
};
const pathOf = ({ id }: Deployment) => ({ deploymentId: id });

describe.each(transports)('a runtime over %s', (transport) => {
  let runtimes: RuntimeFixture;

  beforeAll(async () => {
    runtimes = await startRuntimes(transport, { PLINTH_ENGINE_REQUESTS: '4' });
  });
  afterAll(() => runtimes?.stop());

  const refusal = (deployment: Deployment, more: Parameters<RuntimeFixture['query']>[1] = {}) =>
    runtimes.query(deployment, more).then(
      (reply) => Promise.reject(new Error(`not refused: ${JSON.stringify(reply)}`)),
      (error: unknown) => error,
    );
  const messagesOf = (deployment: Deployment) => async () =>
    (await runtimes.call(userOf(deployment), 'logs', { path: pathOf(deployment) })).items.map(({ message }) => message);
  const describeEngines = ({ tenantId }: Deployment, asked: Deployment) =>
    runtimes.call(systemPrincipal(tenantId), 'describeEngines', { path: pathOf(asked) });

  describe('refuses', () => {
    it("another tenant's deployment, whichever way it is asked about", async () => {
      const theirs = runtimes.newDeployment(serving({ answer: 'secret' }));
      expect((await runtimes.query(theirs)).body.answer).toBe('secret');
      const strange = { ...theirs, tenantId: theirs.tenantId + 500_000 };
      expect(await refusal(strange)).toMatchObject({ code: 'deployment.not_found' });
      for (const operationId of ['pods', 'logs'] as const) {
        const asked = runtimes.call(userOf(strange), operationId, { path: pathOf(theirs) });
        await expect(asked).rejects.toMatchObject({ code: 'deployment.not_found' });
      }
      expect(await describeEngines(strange, theirs)).toEqual({ isCold: true });
    });

    it("an environment of another tenant that is named together with one's own deployment", async () => {
      const theirs = runtimes.newDeployment(serving({ answer: 'secret' }));
      expect((await runtimes.query(theirs)).body.answer).toBe('secret');
      const own = runtimes.newDeployment(serving({ answer: 'own' }));
      const { body } = await runtimes.query(own, { environmentId: theirs.branches[0]?.id ?? 0 });
      expect(body.answer).toBe('own');
    });

    it('a branch that nothing serves, by its name', async () => {
      const deployment = runtimes.newDeployment(serving({}));
      const error = await refusal(deployment, { branchName: 'nowhere' });
      expect(error).toMatchObject({ code: 'branch.not_found', message: expect.stringContaining('nowhere') });
    });

    it('a model that does not compile, with file and line', async () => {
      const broken = [{ message: 'wrong', fileName: 'model/a.yml', line: 2 }];
      const deployment = runtimes.newDeployment(serving({ broken }));
      expect(await refusal(deployment)).toMatchObject({ code: 'engine.model_broken', message: 'model/a.yml:2: wrong' });
    });

    it('what an engine cannot serve, and says when to come again', async () => {
      const deployment = runtimes.newDeployment(serving({ fails: 'No driver' }));
      const unavailable = { code: 'engine.unavailable', message: 'No driver', retryAfterSeconds: 5 };
      expect(await refusal(deployment)).toMatchObject(unavailable);
    });
  });

  it('has clients ask again when an engine has not started within ten seconds, and answers then', async () => {
    const deployment = runtimes.newDeployment(serving({ answer: 'late', startMs: 11_000 }));
    expect(await runtimes.query(deployment)).toEqual({ status: 200, body: { error: 'Continue wait' } });
    expect((await runtimes.query(deployment)).body.answer).toBe('late');
  });

  it('waits for a deployment that is being built for the first time', async () => {
    const deployment = runtimes.newDeployment({ model: null });
    const asked = runtimes.query(deployment);
    Object.assign(deployment.branches[0] ?? {}, serving({ answer: 'built' }));
    expect((await asked).body.answer).toBe('built');
  });

  it('passes on status, body, route and context', async () => {
    const deployment = runtimes.newDeployment(serving({ answer: 'here' }), { CUBEJS_DB_HOST: 'db' });
    const reply = await runtimes.query(deployment, {
      route: 'meta',
      method: 'GET',
      body: null,
      search: 'status=403',
      securityContext: { sub: 'me', cubeCloud: { groups: ['a'] } },
    });
    const claims = { sub: 'me', cubeCloud: { groups: ['a'] } };
    const body = { route: 'meta', claims, variables: { CUBEJS_DB_HOST: 'db' } };
    expect(reply).toMatchObject({ status: 403, body });
  });

  it('streams a long reply no faster than it is read, and ends the query of a reader who leaves', async () => {
    const deployment = runtimes.newDeployment(serving({ answer: 'long' }));
    const call = engineCall(deployment, { body: { bytes: 2 ** 30 } });
    const { stream } = await runtimes.edge.callForStream('queryEngine', call);
    const reader = stream[Symbol.asyncIterator]();
    expect((await reader.next()).value?.length).toBeGreaterThan(0);
    await reader.return?.();
    await until('the end at the engine', messagesOf(deployment), (all) => all.includes('cancelled'));
  });

  it('ends the query of a caller who leaves before the reply begins', async () => {
    const deployment = runtimes.newDeployment(serving({ answer: 'never' }));
    const leaving = new AbortController();
    const call = engineCall(deployment, { body: { delayMs: 600_000 } });
    const context = { requestId: 'leaving', signal: leaving.signal };
    const asked = runInContext(context, () => runtimes.edge.callForStream('queryEngine', call)).catch(() => undefined);
    await until('the request', messagesOf(deployment), (all) => all.includes('received load'));
    leaving.abort();
    await asked;
    await until('its end at the engine', messagesOf(deployment), (all) => all.includes('cancelled'));
  });

  it('serves a changed model and changed variables as soon as it hears of them, and never nothing', async () => {
    const deployment = runtimes.newDeployment(serving({ answer: 'one' }), { A: '1' });
    expect((await runtimes.query(deployment)).body.answer).toBe('one');
    Object.assign(deployment.branches[0] ?? {}, serving({ answer: 'two' }));
    deployment.variables = { A: '2' };
    runtimes.announce(deployment);
    const answers = new Set<unknown>();
    const ask = async () => (await runtimes.query(deployment)).body;
    const isNew = ({ answer }: Awaited<ReturnType<typeof ask>>) => answers.add(answer).has('two');
    expect(await until('the new one', ask, isNew)).toMatchObject({ variables: { A: '2' } });
    expect([...answers]).toEqual(expect.arrayContaining(['two']));
    expect([...answers].filter((answer) => answer !== 'one' && answer !== 'two')).toEqual([]);
  });

  it('has those ask again whose engine died on them, and answers then', async () => {
    const deployment = runtimes.newDeployment(serving({ answer: 'alive' }));
    await runtimes.query(deployment);
    const waiting = runtimes.query(deployment, { body: { delayMs: 60_000 } });
    const received = (all: string[]) => all.filter((message) => message === 'received load').length;
    await until('the request', messagesOf(deployment), (all) => received(all) === 2);
    const killer = runtimes.query(deployment, { body: { dies: true } });
    for (const reply of [await killer, await waiting]) {
      expect(reply).toEqual({ status: 200, body: { error: 'Continue wait' } });
    }
    expect((await runtimes.query(deployment)).body.answer).toBe('alive');
  });

  it('lets one caller with many requests keep nobody else waiting', async () => {
    const deployment = runtimes.newDeployment(serving({ answer: 'fair' }));
    await runtimes.query(deployment);
    const order: string[] = [];
    const ask = (caller: string) =>
      runtimes.query(deployment, { caller, body: { delayMs: 150 } }).then(() => order.push(caller));
    const many = Array.from({ length: 24 }, () => ask('many'));
    await Promise.all([...many, ask('few')]);
    expect(order.indexOf('few')).toBeLessThan(16);
  });

  it('shows what runs and what it has written, and nothing of dev branches of others', async () => {
    const deployment = runtimes.newDeployment(serving({ answer: 'one' }));
    const dev = { id: deployment.id * 100 + 1, name: 'dev-x', kind: 'dev' as const, ownerUserId: 9 };
    deployment.branches.push({ ...dev, ...serving({ answer: 'dev' }) });
    const path = pathOf(deployment);
    const [admin, other] = [userOf(deployment), userOf(deployment, limited)];
    expect((await runtimes.call(admin, 'pods', { path })).items).toEqual([]);
    expect(await describeEngines(deployment, deployment)).toEqual({ isCold: true });
    await runtimes.query(deployment, { body: { logs: 'of production' } });
    const asked = { branchName: 'dev-x', isProduction: false, environmentId: dev.id };
    expect((await runtimes.query(deployment, { ...asked, body: { logs: 'of dev' } })).body.answer).toBe('dev');
    const { items } = await runtimes.call(admin, 'pods', { path });
    expect(items).toMatchObject([
      { type: 'development', status: 'Running', ready: true, restartCount: 0, containers: ['cubejs-server'] },
      { type: 'production', status: 'Running', ready: true },
    ]);
    expect((await runtimes.call(other, 'pods', { path })).items).toHaveLength(1);
    expect(await describeEngines(deployment, deployment)).toEqual({ isCold: false });
    const linesOf = async (principal: Principal, query = {}) =>
      (await runtimes.call(principal, 'logs', { path, query })).items.map(({ message }) => message);
    const both = (all: string[]) => all.includes('of dev') && all.includes('of production');
    await until('both lines', messagesOf(deployment), both);
    expect(await linesOf(other)).not.toContain('of dev');
    expect(await linesOf(admin, { source: 'production' })).not.toContain('of dev');
    expect(await linesOf(admin, { source: 'dev', container: 'MAIN' })).toEqual(['received load', 'of dev']);
    expect(await linesOf(admin, { pod: items[0]?.name, container: 'INIT' })).toEqual([
      expect.stringContaining('Starting for commit'),
      expect.stringMatching(/^Ready after/),
    ]);
  });
});

describe('several runtimes', () => {
  it('answer for one that stops, and none of its engines is left', async () => {
    const runtimes = await startRuntimes();
    try {
      const second = await runtimes.startReplica();
      const deployments = Array.from({ length: 4 }, () => runtimes.newDeployment(serving({ answer: 'on' })));
      for (const deployment of deployments) await runtimes.query(deployment);
      const answers = deployments.map(async (deployment) => {
        const seen: unknown[] = [];
        for (let i = 0; i < 5; i++)
          seen.push((await runtimes.query(deployment, { body: { delayMs: 100 } })).body.answer);
        return seen;
      });
      await second.stop();
      for (const seen of await Promise.all(answers)) expect(seen).toEqual(['on', 'on', 'on', 'on', 'on']);
      expect(await second.metrics.getSingleMetricAsString('plinth_runtime_engines')).toContain('{state="running"} 0');
    } finally {
      await runtimes.stop();
    }
  });
});

describe('fifty clients', () => {
  let runtimes: RuntimeFixture;
  let deployment: Deployment;
  let waits: number[];
  let answers: Set<unknown>;

  beforeAll(async () => {
    runtimes = await startRuntimes();
  });
  afterAll(() => runtimes?.stop());
  beforeEach(async () => {
    [waits, answers] = [[], new Set()];
    deployment = runtimes.newDeployment(serving({ answer: '0' }));
    await runtimes.query(deployment);
  });

  /** Asks as the public client does: again when it is told to. Anything else but an answer fails the test. */
  const ask = async (caller: string): Promise<unknown> => {
    const began = performance.now();
    for (;;) {
      const { status, body } = await runtimes.query(deployment, { caller });
      if (body.error === 'Continue wait') continue;
      expect([status, body.error]).toEqual([200, undefined]);
      waits.push(performance.now() - began);
      answers.add(body.answer);
      return body.answer;
    }
  };
  const underLoad = async (work: () => Promise<unknown>): Promise<void> => {
    let over = false;
    const clients = Array.from({ length: 50 }, async (_none, index) => {
      while (!over) await ask(String(index));
    });
    try {
      await work();
    } finally {
      over = true;
      await Promise.all(clients);
    }
  };

  it('see no failure during rebuilds, and each new model', async () => {
    await underLoad(async () => {
      for (let build = 1; build <= REBUILDS; build++) {
        Object.assign(deployment.branches[0] ?? {}, serving({ answer: String(build) }));
        runtimes.announce(deployment);
        const watch = () => ask('watcher');
        await until('the new model', watch, (answer) => answer === String(build));
      }
    });
    expect(answers.size).toBe(REBUILDS + 1);
  });

  it('have their answers within ten seconds when the engine is killed three times', async () => {
    await underLoad(async () => {
      for (let kill = 0; kill < 3; kill++) {
        await runtimes.query(deployment, { caller: 'killer', body: { dies: true } });
        await ask('watcher');
      }
    });
    expect(Math.max(...waits)).toBeLessThan(boundMs(10_000));
  });
});
