import { isIP } from 'node:net';
import { integer, list, setting, type ConfigOf } from '@plinth/config';
import { z } from 'zod';

const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

function isNetwork(text: string): boolean {
  const [address = '', prefix = '', ...rest] = text.split('/');
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  return rest.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= bits;
}

/** What an operator can set on engines that run in a Kubernetes cluster. */
export const clusterSettings = {
  kubernetesConfig: setting(
    'PLINTH_KUBERNETES_CONFIG',
    z.string().startsWith('/').optional(),
    'Path of a kubeconfig, for the driver kubernetes. The service account of the pod when absent.',
  ),
  kubernetesNamespace: setting(
    'PLINTH_KUBERNETES_NAMESPACE',
    z.string().regex(NAME).default('plinth-engines'),
    'Namespace of engines. Nothing else should be in it.',
  ),
  kubernetesInstance: setting(
    'PLINTH_KUBERNETES_INSTANCE',
    z.string().regex(LABEL).default('plinth'),
    'Name of this installation, as its pods are labelled (app.kubernetes.io/instance): engines of others are left alone.',
  ),
  kubernetesPlatformNamespace: setting(
    'PLINTH_KUBERNETES_PLATFORM_NAMESPACE',
    z.string().regex(NAME).default('plinth'),
    'Namespace of the runtimes, which alone reach engines.',
  ),
  kubernetesClusterNetworks: setting(
    'PLINTH_KUBERNETES_CLUSTER_NETWORKS',
    list()
      .refine((networks) => networks.every(isNetwork), 'takes networks as 10.0.0.0/8, comma-separated')
      .default([]),
    'Networks of nodes, pods and services, comma-separated: engines reach none of them. Needed when data sources may be at addresses of private networks.',
  ),
  engineImage: setting(
    'PLINTH_ENGINE_IMAGE',
    z
      .string()
      .regex(/^[a-z0-9][a-z0-9._:/-]*$/)
      .default('cubejs/cube'),
    'Repository of the official image of the engine, whose tag is the version of the deployment.',
  ),
  engineImagePullSecrets: setting(
    'PLINTH_ENGINE_IMAGE_PULL_SECRETS',
    list()
      .refine((names) => names.every((name) => NAME.test(name)), 'takes names of secrets, comma-separated')
      .default([]),
    'Secrets in the namespace of engines that the image is pulled with, comma-separated.',
  ),
  enginePodCpu: setting(
    'PLINTH_ENGINE_POD_CPU',
    z
      .string()
      .regex(/^\d+(\.\d+)?$|^\d+m$/)
      .default('250m'),
    'Processor time that is kept for the pod of an engine, as Kubernetes writes it.',
  ),
  enginePodMemoryMb: setting(
    'PLINTH_ENGINE_POD_MEMORY_MB',
    integer(256, 1_048_576).default(1_024),
    'Memory that is kept for the pod of an engine, and the most that it gets, in MiB.',
  ),
};

interface Checked extends ConfigOf<typeof clusterSettings> {
  engineDriver: string;
  enginePrivateAddresses: boolean;
}

/** What does not go together. */
export function clusterProblems(config: Checked): string[] {
  const { engineDriver, enginePrivateAddresses, kubernetesClusterNetworks } = config;
  if (engineDriver !== 'kubernetes' || !enginePrivateAddresses || kubernetesClusterNetworks.length > 0) return [];
  return [
    'PLINTH_ENGINE_PRIVATE_ADDRESSES with the driver kubernetes needs PLINTH_KUBERNETES_CLUSTER_NETWORKS: engines would reach the platform itself',
  ];
}
