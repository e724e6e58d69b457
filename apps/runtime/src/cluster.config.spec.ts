import { loadConfig } from '@plinth/config';
import { clusterProblems, clusterSettings } from './cluster.config';

const config = (environment: Record<string, string> = {}, enginePrivateAddresses = true) => ({
  ...loadConfig(clusterSettings, environment),
  engineDriver: 'kubernetes',
  enginePrivateAddresses,
});

describe('settings of engines in a cluster', () => {
  it('do not open private networks without closing those of the cluster', () => {
    expect(clusterProblems(config())).toEqual([expect.stringContaining('PLINTH_KUBERNETES_CLUSTER_NETWORKS')]);
    expect(clusterProblems(config({ PLINTH_KUBERNETES_CLUSTER_NETWORKS: '10.0.0.0/8, fd00::/8' }))).toEqual([]);
    expect(clusterProblems(config({}, false))).toEqual([]);
    expect(clusterProblems({ ...config(), engineDriver: 'process' })).toEqual([]);
  });

  it.each([
    ['PLINTH_KUBERNETES_CLUSTER_NETWORKS', '10.0.0.0'],
    ['PLINTH_KUBERNETES_CLUSTER_NETWORKS', '10.0.0.0/33'],
    ['PLINTH_KUBERNETES_CLUSTER_NETWORKS', '0.0.0.0/0'],
    ['PLINTH_KUBERNETES_INSTANCE', 'a,b=c'],
    ['PLINTH_KUBERNETES_NAMESPACE', '../kube-system'],
    ['PLINTH_ENGINE_POD_CPU', 'much'],
  ])('refuse %s=%s', (name, value) => {
    expect(() => loadConfig(clusterSettings, { [name]: value })).toThrow(name);
  });
});
