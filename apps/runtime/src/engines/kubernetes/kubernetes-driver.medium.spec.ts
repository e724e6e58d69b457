import { randomBytes } from 'node:crypto';
import { deadlineMs, until } from '@plinth/testing';
import { ApiServer } from '../../testing/kubernetes/api-server';
import { clusterOrder as order, driverOf, fakeImages, SECRET } from '../../testing/kubernetes/cluster-fixture';
import { replyOf, startRegistry, type RegistryFixture } from '../../testing/registry-fixture';
import { Cluster } from './cluster';
import { EngineFailed, type EngineStart } from '../engine-driver';
import type { KubernetesDriver, KubernetesDriverOptions } from './kubernetes-driver';

const never = new AbortController().signal;
describe('engines in a cluster', () => {
  let cluster: ApiServer;
  let opened: KubernetesDriver[];
  let said: string[];

  const open = async (options: Partial<KubernetesDriverOptions> = {}): Promise<KubernetesDriver> => {
    const driver = await driverOf(cluster, options);
    opened.push(driver);
    return driver;
  };
  const start = (driver: KubernetesDriver, wanted: EngineStart, signal = never) =>
    driver.start(wanted, (news) => void (news.kind === 'log' && said.push(news.message)), signal);
  const names = (kind: string) => cluster.list(kind).map(({ metadata }) => metadata.name);
  const everything = () => ['Service', 'Deployment', 'Secret', 'ConfigMap', 'NetworkPolicy', 'Pod'].flatMap(names);

  beforeEach(async () => {
    [opened, said] = [[], []];
    cluster = await ApiServer.start(fakeImages);
  });
  afterEach(async () => {
    await Promise.all(opened.map((driver) => driver.close()));
    await cluster.stop();
  });

  describe('are not started, and nothing is left of them,', () => {
    afterEach(() => expect(everything()).toEqual([]));

    it('without an image of their version, which is named', async () => {
      const failed = start(await open(), order({}, { version: '1.9.99' }));
      await expect(failed).rejects.toMatchObject({
        name: 'EngineFailed',
        message: expect.stringContaining('The image cubejs/cube:v1.9.99 of the engine cannot be pulled'),
      });
    });

    it('when they end again and again, and say their own last line without secrets', async () => {
      const failed = start(await open(), order({ fails: `no driver for ${SECRET}` }));
      await expect(failed).rejects.toMatchObject({
        name: 'EngineFailed',
        message: 'The engine ended while it started; its last line is: no driver for [HIDDEN]',
      });
    });

    it('within the limit, and say their own last line', async () => {
      const [driver, limit] = [await open(), new AbortController()];
      const failed = start(driver, order({ says: 'waiting for a thing', startMs: 600_000 }), limit.signal);
      const outcome = expect(failed).rejects.toThrow(/too late; its last line is: waiting for a thing/);
      await until(
        'the line',
        () => said,
        (lines) => lines.length > 0,
      );
      limit.abort(new EngineFailed('too late'));
      await outcome;
    });

    it.each([
      ['a version that is another image', { version: '1.7.43@sha256:00' }, 'no image of the version'],
      ['a label that is none', { commitHash: 'x=y,app.kubernetes.io/instance=other' }, 'cannot be named'],
      ['variables beyond a Secret', { variables: { A: 'x'.repeat(2 ** 20) } }, 'a Secret takes 1048576'],
    ])('with %s', async (_what, more, message) => {
      const failed = open().then((driver) => start(driver, order({}, more)));
      await expect(failed).rejects.toMatchObject({ name: 'EngineFailed', message: expect.stringContaining(message) });
      expect(cluster.calls.filter((call) => call.startsWith('create'))).toEqual([]);
    });

    it('with a model that is too large, and name the limit', async () => {
      const random = [{ path: 'a.yml', content: randomBytes(18 << 20).toString('base64') }];
      const failed = start(await open(), order({}, { model: random }));
      await expect(failed).rejects.toThrow(/MiB when compressed, and the cluster takes 15.0 MiB \(16 ConfigMaps\)/);
    });
  });

  it.each([
    ['forbids', 403],
    ['fails', 500],
    ['is too busy', 429],
    ['has lost the page of a list', 410],
    ['is away', 'hang' as const],
  ])('are refused with 503 and a time to come again while the API server %s', async (_what, trouble) => {
    const driver = await open({ cluster: await Cluster.load(cluster.configFile, cluster.namespace, deadlineMs(500)) });
    cluster.trouble = () => trouble;
    const error: unknown = await start(driver, order({})).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'engine.unavailable', status: 503, retryAfterSeconds: 5 });
    expect((error as Error).message).toBe('Engines cannot be started at the moment: try again later');
  });

  it('leave nothing half made when the cluster takes no Deployment', async () => {
    const driver = await open();
    cluster.trouble = ({ verb, resource }) => (`${verb} ${resource}` === 'create deployments' ? 403 : undefined);
    await expect(start(driver, order({}))).rejects.toMatchObject({ code: 'engine.unavailable' });
    expect(everything()).toEqual([]);
  });

  it('keep secrets in the Secret alone', async () => {
    const engine = await start(await open(), order({ answer: 'one', says: `cannot log in with ${SECRET}` }));
    await until(
      'the line',
      () => said,
      (lines) => lines.length > 0,
    );
    expect(said).toEqual(['cannot log in with [HIDDEN]']);
    const [secret] = cluster.list('Secret');
    const tokenSecret = Buffer.from(secret?.data?.['CUBEJS_API_SECRET'] ?? '', 'base64').toString('utf8');
    expect(tokenSecret.length).toBeGreaterThan(32);
    const rest = ['Service', 'Deployment', 'ConfigMap', 'NetworkPolicy', 'Pod'].flatMap((kind) => cluster.list(kind));
    const shown = JSON.stringify(rest) + cluster.calls.join();
    for (const value of [SECRET, tokenSecret]) {
      for (const form of [value, Buffer.from(value).toString('base64')]) expect(shown).not.toContain(form);
    }
    await engine.stop(0);
    expect(everything()).toEqual([]);
  });

  it('carry nothing that people have named, and the wall is there before the pod', async () => {
    const place = { ...order({}).place, branchName: 'evil,app.kubernetes.io/component=gateway' };
    const engine = await start(await open(), order({ answer: 'one' }, { place }));
    expect(JSON.stringify(cluster.list('Deployment'))).not.toContain('evil');
    const made = cluster.calls.filter((call) => call.startsWith('create'));
    expect(made.indexOf('create networkpolicies')).toBeLessThan(made.indexOf('create deployments'));
    expect(made.at(-1)).toBe('create deployments');
    await engine.stop(0);
  });

  it('are taken over by the next runtime after a crash of ours, and answer it', async () => {
    await start(await open({ runtimeId: 'crashed' }), order({ answer: 'one' }));
    const before = everything();
    const engine = await start(await open({ runtimeId: 'next' }), order({ answer: 'one' }));
    expect(everything()).toEqual(before);
    const reply = await replyOf({ request: (call) => engine.request(call), release: () => undefined });
    expect(reply).toMatchObject({ answer: 'one', claims: { sub: 'somebody' } });
    await engine.stop(0);
    expect(everything()).toEqual([]);
  });

  it('that another runtime has taken over are not ended by the one before', async () => {
    const [first, second] = [await open({ runtimeId: 'first' }), await open({ runtimeId: 'second' })];
    const before = await start(first, order({ answer: 'one' }));
    const after = await start(second, order({ answer: 'one' }));
    await before.stop(0);
    expect(names('Deployment')).toHaveLength(1);
    const reply = await replyOf({ request: (call) => after.request(call), release: () => undefined });
    expect(reply.answer).toBe('one');
  });

  it('that are replaced by themselves while they end are not ended twice', async () => {
    const driver = await open();
    const before = await start(driver, order({ answer: 'one' }));
    const [, after] = await Promise.all([before.stop(0), start(driver, order({ answer: 'one' }))]);
    const reply = await replyOf({ request: (call) => after.request(call), release: () => undefined });
    expect(reply.answer).toBe('one');
    expect(names('Service')).toHaveLength(1);
  });

  it.each([
    ['a secret', order({ answer: 'one' }, { variables: { CUBEJS_DB_PASS: 'another' } })],
    ['a model', order({ answer: 'two' })],
    ['an environment', order({ answer: 'one' }, { place: { ...order({}).place, environmentId: 71 } })],
  ])('with another %s are others', async (_what, other) => {
    const driver = await open();
    await start(driver, order({ answer: 'one' }));
    await start(driver, other);
    expect(names('Service')).toHaveLength(2);
    const secrets = cluster.list('Secret').flatMap(({ data }) => data?.['CUBEJS_API_SECRET'] ?? []);
    expect(new Set(secrets).size).toBe(2);
  });

  it('go on answering while the API server is away, and have their log again afterwards', async () => {
    const engine = await start(await open(), order({ answer: 'one' }));
    cluster.trouble = () => 500;
    cluster.endStreams();
    const ask = (logs: string) =>
      engine.request({ route: 'load', method: 'POST', search: '', body: { logs }, securityContext: {} });
    const { status, body } = await ask('said while it was away');
    body.resume();
    expect(status).toBe(200);
    cluster.trouble = () => undefined;
    await until(
      'the line',
      () => said,
      (lines) => lines.includes('said while it was away'),
    );
    expect(said.filter((line) => line === 'said while it was away')).toHaveLength(1);
  });

  it('end for their registry when their container does, and say how', async () => {
    const engine = await start(await open(), order({ answer: 'one' }));
    process.kill(cluster.pod.pid ?? 0, 'SIGKILL');
    expect(await engine.ended).toMatchObject({ fault: expect.stringMatching(/^The engine ended \(status 137\)/) });
  });

  describe('that nobody holds', () => {
    const orphanMs = 1_000;
    const gone = () =>
      until(
        'the end',
        () => names('Service').length,
        (count) => count === 0,
      );

    it('are ended by the owner of their deployment, and by nobody else', async () => {
      await start(await open({ runtimeId: 'crashed' }), order({ answer: 'one' }));
      const ownerOf = (deploymentId: string) => (deploymentId === '7' ? 'owner' : undefined);
      const peers = { isAlive: (id: string) => id !== 'crashed', ownerOf };
      const other = await open({ runtimeId: 'other', peers, orphanMs });
      await until(
        'rounds of the other',
        () => cluster.calls.filter((call) => call === 'list services').length,
        (n) => n > 4,
      );
      expect(names('Service')).toHaveLength(1);
      await other.close();
      await open({ runtimeId: 'owner', peers, orphanMs });
      await gone();
      expect(everything()).toEqual([]);
    });

    it('are left alone while their runtime is alive', async () => {
      await start(await open({ runtimeId: 'alive' }), order({ answer: 'one' }));
      await open({ runtimeId: 'owner', peers: { isAlive: () => true, ownerOf: () => 'owner' }, orphanMs });
      await until(
        'rounds',
        () => cluster.calls.filter((call) => call === 'list services').length,
        (n) => n > 5,
      );
      expect(names('Service')).toHaveLength(1);
    });

    it('are ended by a runtime of the same name that comes after', async () => {
      await start(await open({ runtimeId: 'same' }), order({ answer: 'one' }));
      await opened[0]?.close();
      await open({ runtimeId: 'same', orphanMs });
      await gone();
    });

    it('of another installation are nobody’s business', async () => {
      const [driver] = [await open({ runtimeId: 'same' })];
      await start(driver, order({ answer: 'one' }));
      const [name = ''] = names('Service');
      cluster.touch('Service', name, { metadata: { labels: { 'app.kubernetes.io/instance': 'other' } } } as never);
      await driver.close();
      await open({ runtimeId: 'same', orphanMs });
      await until(
        'rounds',
        () => cluster.calls.filter((call) => call === 'list services').length,
        (n) => n > 5,
      );
      expect(names('Service')).toEqual([name]);
    });
  });
});

describe('a runtime that runs engines in a cluster', () => {
  let cluster: ApiServer;
  let fixture: RegistryFixture;

  beforeEach(async () => {
    cluster = await ApiServer.start(fakeImages);
    fixture = startRegistry({ driver: await driverOf(cluster) });
  });
  afterEach(async () => {
    await fixture.stop();
    await cluster.stop();
  });

  it('has the engine that died answer again, by the pod that it had', async () => {
    const wanted = fixture.wanted(1, { answer: 'one' });
    expect(await fixture.ask(wanted)).toBe('one');
    const before = cluster.list('Deployment').map(({ metadata }) => metadata.uid);
    process.kill(cluster.pod.pid ?? 0, 'SIGKILL');
    const ask = () => fixture.ask(wanted).catch((error: Error) => error.name);
    await until('an answer', ask, (answer) => answer === 'one');
    expect(cluster.list('Deployment').map(({ metadata }) => metadata.uid)).toEqual(before);
  });
});
