import type { V1NetworkPolicyPeer, V1NetworkPolicySpec } from '@kubernetes/client-node';
import { addressBlocks } from '@plinth/egress';
import { ENGINE_PORT } from './engine-port';
import { ENGINE, labelsOfRuntimes } from './engine-labels';

const NAMESPACE = 'kubernetes.io/metadata.name';
/** The cache of names that runs on each node where it is installed; its address is the same in every cluster. */
const NODE_LOCAL_DNS = '169.254.20.10/32';

export interface NetworkRules {
  instance: string;
  /** Namespace of the runtimes. */
  platformNamespace: string;
  /** Whether addresses of private networks may be reached. */
  privateAddresses: boolean;
  /** CIDRs of nodes, pods and services, which engines never reach. */
  clusterNetworks: readonly string[];
}

/** Who reaches an engine, its runtimes, and what it reaches: names, and data sources outside of the cluster. */
export function networkPolicyOf(engine: string, rules: NetworkRules): V1NetworkPolicySpec {
  const { instance, platformNamespace, privateAddresses, clusterNetworks } = rules;
  const runtimes: V1NetworkPolicyPeer = {
    namespaceSelector: { matchLabels: { [NAMESPACE]: platformNamespace } },
    podSelector: { matchLabels: labelsOfRuntimes(instance) },
  };
  const names: V1NetworkPolicyPeer[] = [
    { namespaceSelector: { matchLabels: { [NAMESPACE]: 'kube-system' } } },
    { ipBlock: { cidr: NODE_LOCAL_DNS } },
  ];
  const policy = { allowPrivate: privateAddresses, allowInsecure: false };
  return {
    podSelector: { matchLabels: { [ENGINE]: engine } },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ _from: [runtimes], ports: [{ port: ENGINE_PORT, protocol: 'TCP' }] }],
    egress: [
      { to: names, ports: ['UDP', 'TCP'].map((protocol) => ({ port: 53, protocol })) },
      { to: addressBlocks(policy, clusterNetworks).map((ipBlock) => ({ ipBlock })) },
    ],
  };
}
