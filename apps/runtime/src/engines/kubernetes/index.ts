import type { EngineLimits } from '@plinth/engine';
import type { Logger } from '@plinth/observability';
import type { RuntimeConfig } from '../../runtime.config';
import type { EngineDriver } from '../engine-driver';
import { Cluster } from './cluster';
import { EngineSecrets } from './engine-secrets';
import { KubernetesDriver } from './kubernetes-driver';
import type { ManifestOptions } from './manifests';
import type { Peers } from './orphans';

/** Of engines that no runtime holds, where others are kept for good, in seconds. */
const ORPHANED_S = 600;
const SECOND_MS = 1_000;

/** The driver that runs engines in a cluster, as an operator has set it up. */
export async function openKubernetesDriver(
  config: RuntimeConfig,
  limits: EngineLimits,
  peers: Peers,
  logger: Logger,
): Promise<EngineDriver> {
  const [encryptionKey = ''] = config.encryptionKeys;
  return new KubernetesDriver({
    cluster: await Cluster.load(config.kubernetesConfig, config.kubernetesNamespace),
    secrets: new EngineSecrets(encryptionKey),
    manifests: manifestOptionsOf(config, limits),
    runtimeId: config.runtimeId,
    peers,
    orphanMs: (config.engineIdleS || ORPHANED_S) * SECOND_MS,
    logger,
  });
}

export const manifestOptionsOf = (config: RuntimeConfig, limits: EngineLimits): ManifestOptions => ({
  namespace: config.kubernetesNamespace,
  instance: config.kubernetesInstance,
  platformNamespace: config.kubernetesPlatformNamespace,
  clusterNetworks: config.kubernetesClusterNetworks,
  privateAddresses: config.enginePrivateAddresses,
  image: config.engineImage,
  pullSecrets: config.engineImagePullSecrets,
  cpu: config.enginePodCpu,
  memoryMb: config.enginePodMemoryMb,
  limits,
});
