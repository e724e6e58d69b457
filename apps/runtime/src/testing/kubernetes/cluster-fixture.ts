import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { createLogger } from '@plinth/observability';
import { Cluster } from '../../engines/kubernetes/cluster';
import { EngineSecrets } from '../../engines/kubernetes/engine-secrets';
import { KubernetesDriver, type KubernetesDriverOptions } from '../../engines/kubernetes/kubernetes-driver';
import type { EngineStart } from '../../engines';
import { fakeFiles, limits, type FakeModel } from '../fake-model';
import type { ApiServer } from './api-server';
import type { Images } from './kubelet';

const register = resolve(__dirname, '../../../../../tools/jest/register-typescript.js');
const key = randomBytes(32).toString('base64');

/** The fake engine in place of the official image, whose later versions no registry has. */
export const fakeImages: Images = (image) =>
  image === 'cubejs/cube:v1.7.43'
    ? { command: process.execPath, args: ['-r', register, resolve(__dirname, 'fake-pod.ts')] }
    : undefined;

/** The engine itself in place of the official image. Packages are found as in the image, by `NODE_PATH`. */
export const officialImages =
  (root: string): Images =>
  (image) => {
    if (image !== 'cubejs/cube:v1.7.43') return undefined;
    const program = resolve(root, 'libs/engine/src/testing/official-image.ts');
    const environment = [`NODE_PATH=${resolve(root, 'node_modules')}`, 'CUBEJS_TESSERACT_SQL_PLANNER=false'];
    return { command: '/usr/bin/env', args: [...environment, process.execPath, '-r', register, program] };
  };

export { limits as fixtureLimits } from '../fake-model';

/** A driver of a cluster, as a runtime has one. Those of one test share the platform's key. */
export async function driverOf(
  { configFile, namespace }: Pick<ApiServer, 'configFile' | 'namespace'>,
  options: Partial<KubernetesDriverOptions> = {},
): Promise<KubernetesDriver> {
  return new KubernetesDriver({
    cluster: await Cluster.load(configFile, namespace),
    secrets: new EngineSecrets(key),
    manifests: {
      namespace,
      instance: 'plinth',
      platformNamespace: 'plinth',
      clusterNetworks: ['10.0.0.0/8'],
      privateAddresses: true,
      image: 'cubejs/cube',
      pullSecrets: [],
      cpu: '250m',
      memoryMb: 1_024,
      limits,
    },
    runtimeId: 'runtime-1',
    peers: { isAlive: () => true, ownerOf: () => undefined },
    orphanMs: 600_000,
    logger: createLogger('runtime', 'silent'),
    ...options,
  });
}

/** The password that {@link clusterOrder} has. */
export const SECRET = 'a-real-password';
const variables = { CUBEJS_DB_PASS: SECRET, CUBEJS_DB_HOST: 'db' };

/** What an engine of a cluster is started with. */
export const clusterOrder = (model: FakeModel, more: Partial<EngineStart> = {}): EngineStart => ({
  place: { tenantId: 1, deploymentId: 7, environmentId: 70, branchName: 'main', isProduction: true },
  pod: 'production-70-1',
  version: '1.7.43',
  region: 'local',
  variables,
  tokenVariables: {},
  tokens: [],
  commitHash: 'c0ffee',
  modelRoot: 'model/',
  model: fakeFiles(model),
  transpiled: [],
  checked: false,
  ...more,
});
