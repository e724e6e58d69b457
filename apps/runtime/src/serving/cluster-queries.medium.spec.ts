import 'reflect-metadata';
import { systemPrincipal } from '@plinth/auth';
import { boundMs, until } from '@plinth/testing';
import { fakeFiles, type FakeModel } from '../testing/fake-model';
import { ApiServer } from '../testing/kubernetes/api-server';
import { fakeImages } from '../testing/kubernetes/cluster-fixture';
import { startRuntimes, type Deployment, type RuntimeFixture } from '../testing/runtime-fixture';

const serving = (model: FakeModel) => ({
  model: Object.fromEntries(fakeFiles(model).map(({ path, content }) => [path, content])),
});

describe('runtimes whose engines are pods', () => {
  let cluster: ApiServer;
  let runtimes: RuntimeFixture;

  beforeAll(async () => {
    cluster = await ApiServer.start(fakeImages);
    runtimes = await startRuntimes('in-process', {
      PLINTH_ENGINE_DRIVER: 'kubernetes',
      PLINTH_KUBERNETES_CONFIG: cluster.configFile,
      PLINTH_KUBERNETES_CLUSTER_NETWORKS: '10.0.0.0/8',
    });
  });
  afterAll(async () => {
    await runtimes?.stop();
    await cluster?.stop();
  });
  afterEach(() => (cluster.trouble = () => undefined));

  const answerOf = async (deployment: Deployment): Promise<unknown> => (await runtimes.query(deployment)).body.answer;
  const pathOf = ({ id }: Deployment) => ({ deploymentId: id });

  it('say when to come again while the API server is away, and answer afterwards', async () => {
    const deployment = runtimes.newDeployment(serving({ answer: 'later' }));
    cluster.trouble = () => 500;
    await expect(runtimes.query(deployment)).rejects.toMatchObject({
      code: 'engine.unavailable',
      retryAfterSeconds: 5,
    });
    cluster.trouble = () => undefined;
    const ask = () => answerOf(deployment).catch(() => undefined);
    await until('an answer', ask, (answer) => answer === 'later');
  });

  it('answer under the context and with the variables of the deployment, and show the pod and its log', async () => {
    const deployment = runtimes.newDeployment(serving({ answer: 'one' }), { CUBEJS_DB_HOST: 'db' });
    const securityContext = { cubeCloud: { userId: 7 } };
    const { body } = await runtimes.query(deployment, { securityContext, body: { logs: 'a line' } });
    expect(body).toMatchObject({ answer: 'one', claims: securityContext, variables: { CUBEJS_DB_HOST: 'db' } });
    const principal = { ...systemPrincipal(deployment.tenantId), kind: 'api-key' as const, userId: 7 };
    const lines = async () =>
      (await runtimes.call(principal, 'logs', { path: pathOf(deployment) })).items.map(({ message }) => message);
    await until('the line', lines, (all) => all.includes('a line'));
    const { items } = await runtimes.call(principal, 'pods', { path: pathOf(deployment) });
    expect(items).toMatchObject([{ type: 'production', status: 'Running', ready: true }]);
  });

  it('serve changed variables as soon as they hear of them, and never nothing', async () => {
    const deployment = runtimes.newDeployment(serving({ answer: 'one' }), { A: '1' });
    await runtimes.query(deployment);
    deployment.variables = { A: '2' };
    runtimes.announce(deployment);
    const ask = async () => (await runtimes.query(deployment)).body;
    const body = await until('the new one', ask, ({ variables }) => (variables as { A: string }).A === '2');
    expect(body.answer).toBe('one');
    const engines = () => cluster.list('Service').filter(({ metadata }) => isOf(metadata.labels, deployment));
    await until(
      'the end of the other',
      () => engines().length,
      (count) => count === 1,
    );
  });

  it('have clients ask again whose engine is killed, and answer within ten seconds', async () => {
    const deployment = runtimes.newDeployment(serving({ answer: 'alive' }));
    await runtimes.query(deployment);
    const began = performance.now();
    expect((await runtimes.query(deployment, { body: { dies: true } })).body).toEqual({ error: 'Continue wait' });
    await until(
      'an answer',
      () => answerOf(deployment),
      (answer) => answer === 'alive',
    );
    expect(performance.now() - began).toBeLessThan(boundMs(10_000));
  });

  it('take over engines of one that stops, while it answers, and leave none behind', async () => {
    const second = await runtimes.startReplica();
    const deployments = Array.from({ length: 4 }, () => runtimes.newDeployment(serving({ answer: 'on' })));
    for (const deployment of deployments) expect(await answerOf(deployment)).toBe('on');
    const answers = deployments.map(async (deployment) => {
      const seen = new Set<unknown>();
      for (let i = 0; i < 5; i++) seen.add((await runtimes.query(deployment, { body: { delayMs: 100 } })).body.answer);
      return [...seen];
    });
    await second.stop();
    expect(await Promise.all(answers)).toEqual(deployments.map(() => ['on']));
    for (const deployment of deployments) expect(await answerOf(deployment)).toBe('on');
    await runtimes.replicas[0]?.stop();
    expect(cluster.list('Service')).toEqual([]);
    expect(cluster.list('Deployment')).toEqual([]);
    expect(cluster.list('Secret')).toEqual([]);
  });
});

const isOf = (labels: Record<string, string> = {}, { id }: Deployment): boolean =>
  labels['plinth.dev/deployment'] === String(id);
