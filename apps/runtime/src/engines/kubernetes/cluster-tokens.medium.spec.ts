import type { V1PodSpec } from '@kubernetes/client-node';
import { until } from '@plinth/testing';
import { ApiServer } from '../../testing/kubernetes/api-server';
import { clusterOrder, driverOf, fakeImages } from '../../testing/kubernetes/cluster-fixture';
import { replyOf, startRegistry } from '../../testing/registry-fixture';
import type { EngineStart, RunningEngine, TokenFile } from '../engine-driver';
import type { KubernetesDriver } from './kubernetes-driver';

const never = new AbortController().signal;
const FILE = 'cube_cloud_token_a';
const tokensOf = (token: string): TokenFile[] => [{ fileName: FILE, token }];

describe('the OIDC tokens of engines in a cluster', () => {
  let cluster: ApiServer;
  let opened: KubernetesDriver[];

  const start = async (more: Partial<EngineStart>, runtimeId = 'runtime-1'): Promise<RunningEngine> => {
    const driver = await driverOf(cluster, { runtimeId });
    opened.push(driver);
    const order = clusterOrder({ answer: 'one' }, { tokenVariables: { A_TOKEN_FILE: FILE }, ...more });
    return driver.start(order, () => undefined, never);
  };
  const secrets = () => cluster.list('Secret').filter(({ metadata }) => metadata.name.endsWith('-tokens'));
  const held = (): Record<string, string> =>
    Object.fromEntries(
      Object.entries(secrets()[0]?.data ?? {}).map(([name, text]) => [name, Buffer.from(text, 'base64').toString()]),
    );

  beforeEach(async () => {
    opened = [];
    cluster = await ApiServer.start(fakeImages);
  });
  afterEach(async () => {
    await Promise.all(opened.map((driver) => driver.close()));
    await cluster.stop();
  });

  it('are those of the runtime before while the next one can mint none', async () => {
    await start({ tokens: tokensOf('first') }, 'crashed');
    await start({ tokens: undefined }, 'next');
    expect(secrets()).toHaveLength(1);
    expect(held()).toEqual({ [FILE]: 'first' });
  });

  it('are replaced by those of the runtime that takes an engine over, which is no other one for it', async () => {
    await start({ tokens: tokensOf('first') }, 'crashed');
    await start({ tokens: tokensOf('second') }, 'next');
    expect(cluster.list('Deployment')).toHaveLength(1);
    expect(held()).toEqual({ [FILE]: 'second' });
  });

  it('are not there before they can be minted, and the engine is', async () => {
    const engine = await start({ tokens: undefined });
    expect(held()).toEqual({});
    await engine.replaceTokens(tokensOf('first'));
    expect(held()).toEqual({ [FILE]: 'first' });
  });

  it('are renewed in their Secret, and go with their configs', async () => {
    const engine = await start({ tokens: tokensOf('first') });
    await engine.replaceTokens([...tokensOf('second'), { fileName: 'cube_cloud_token_b', token: 'b' }]);
    expect(held()).toEqual({ [FILE]: 'second', cube_cloud_token_b: 'b' });
    await engine.replaceTokens([]);
    expect(held()).toEqual({});
    expect(secrets()).toHaveLength(1);
  });

  it('are mounted read-only where their variables say, for the user of the container', async () => {
    const engine = await start({ tokens: tokensOf('first') });
    const reply = await replyOf({ request: (call) => engine.request(call), release: () => undefined });
    expect(reply.variables).toMatchObject({ A_TOKEN_FILE: `/var/cube/1/7/${FILE}` });
    const [deployment] = cluster.list('Deployment');
    const { spec } = (deployment?.spec as { template: { spec: V1PodSpec } }).template;
    const [secret] = secrets();
    expect(spec.volumes).toContainEqual({
      name: 'tokens',
      secret: { secretName: secret?.metadata.name, defaultMode: 0o400 },
    });
    const mount = { name: 'tokens', mountPath: '/var/cube/1/7', readOnly: true };
    expect(spec.containers[0]?.volumeMounts).toContainEqual(mount);
  });

  it('are in their Secret alone, which is labelled as the engine is, and ends with it', async () => {
    const engine = await start({ tokens: tokensOf('a-secret-token') });
    const [secret] = secrets();
    expect(secret?.metadata.labels).toEqual(cluster.list('Service')[0]?.metadata.labels);
    await engine.replaceTokens(tokensOf('a-secret-token'));
    const others = ['Service', 'Deployment', 'ConfigMap', 'NetworkPolicy', 'Pod'].flatMap((kind) => cluster.list(kind));
    for (const form of ['a-secret-token', Buffer.from('a-secret-token').toString('base64')]) {
      expect(JSON.stringify(others)).not.toContain(form);
    }
    await engine.stop(0);
    expect(cluster.list('Secret')).toEqual([]);
  });

  it('that the cluster does not take are tried again, and the engine answers meanwhile', async () => {
    let count = 0;
    const mintTokens = async () => tokensOf(`token-${(count += 1)}`);
    const fixture = startRegistry({ driver: await driverOf(cluster), tokensEveryMs: 100 });
    try {
      const wanted = fixture.wanted(1, { answer: 'one' }, { mintTokens });
      expect(await fixture.ask(wanted)).toBe('one');
      cluster.trouble = ({ verb, resource }) => (`${verb} ${resource}` === 'update secrets' ? 403 : undefined);
      const lines = () => fixture.lines.map(({ message }) => message);
      await until('a failure', lines, (said) => said.some((line) => line.includes('could not be renewed')));
      expect(await fixture.ask(wanted)).toBe('one');
      cluster.trouble = () => undefined;
      await until('a renewal', lines, (said) => said.includes('The OIDC tokens are renewed again'));
      expect(held()[FILE]).toMatch(/^token-\d+$/);
    } finally {
      await fixture.stop();
    }
  });
});
