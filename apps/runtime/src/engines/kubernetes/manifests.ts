import type {
  V1ConfigMap,
  V1Deployment,
  V1NetworkPolicy,
  V1ObjectMeta,
  V1OwnerReference,
  V1Secret,
  V1Service,
} from '@kubernetes/client-node';
import type { EngineLimits } from '@plinth/engine';
import type { EngineStart, TokenFile } from '../engine-driver';
import { tokenPaths } from '../token-paths';
import { cubeConfigurationText } from './cube-configuration';
import { ENGINE, HOLDER, labelsOfEngine, type Labels } from './engine-labels';
import { ENGINE_PORT } from './engine-port';
import type { EngineSecrets } from './engine-secrets';
import { engineVariables } from './engine-variables';
import { packModel } from './model-archive';
import { networkPolicyOf, type NetworkRules } from './network-policy';
import { podSpec, TOKENS_SUFFIX, type PodOptions } from './pod-spec';

export interface ManifestOptions extends PodOptions, NetworkRules {
  namespace: string;
  limits: EngineLimits;
}

/** What an engine is made of. The Service is there first and owns the rest, which ends with it. */
export interface EngineManifests {
  /** Equal for engines that would answer alike, whatever they are called. */
  revision: string;
  named(name: string, holder: string): NamedManifests;
}

export interface NamedManifests {
  service: V1Service;
  owned(owner: V1Service): OwnedManifests;
  /** The files of OIDC tokens, which come and go while the engine is the same. */
  tokens(owner: V1Service, tokens: readonly TokenFile[]): V1Secret;
}

export interface OwnedManifests {
  networkPolicy: V1NetworkPolicy;
  secret: V1Secret;
  configMaps: V1ConfigMap[];
  deployment: V1Deployment;
}

interface Named {
  name: string;
  labels: Labels;
  variables: Record<string, string>;
}

/** Stands for the name where names do not count. */
const NAMELESS = 'engine';

/**
 * The manifests of an engine.
 *
 * @throws EngineFailed when the cluster could not take them
 */
export function manifestsOf(order: EngineStart, secrets: EngineSecrets, options: ManifestOptions): EngineManifests {
  const { instance } = options;
  const parts = packModel(order);
  const given = { ...order.variables, ...tokenPaths(order, tokenFolderOf(order)) };
  const variablesOf = (name: string) => engineVariables(given, secrets.tokenSecretOf(name), options.limits);
  const rendered = ({ name, labels, variables }: Named, holder: string) => ({
    service: serviceOf(name, labels, holder, options),
    owned: (owner: V1Service) => ownedBy(owner, { name, labels, variables }, { order, parts, options }),
    tokens: (owner: V1Service, tokens: readonly TokenFile[]) =>
      tokensOf(metaOf(owner, { name, labels }, options), tokens),
  });
  const nameless = rendered({ name: NAMELESS, labels: {}, variables: variablesOf(NAMELESS) }, NAMELESS);
  const { environmentId, deploymentId, tenantId } = order.place;
  const ids = [tenantId, deploymentId, environmentId];
  const revision = secrets.revisionOf([ids, nameless.service, nameless.owned(nameless.service)]);
  return {
    revision,
    named: (name, holder) => {
      const labels = labelsOfEngine(instance, order, revision, name);
      return rendered({ name, labels, variables: variablesOf(name) }, holder);
    },
  };
}

function serviceOf(name: string, labels: Labels, holder: string, { namespace }: ManifestOptions): V1Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels, annotations: { [HOLDER]: holder } },
    spec: {
      type: 'ClusterIP',
      selector: { [ENGINE]: name },
      ports: [{ name: 'http', port: ENGINE_PORT, targetPort: 'http', protocol: 'TCP' }],
    },
  };
}

function ownedBy(
  owner: V1Service,
  { name, labels, variables }: Named,
  { order, parts, options }: { order: EngineStart; parts: readonly Buffer[]; options: ManifestOptions },
): OwnedManifests {
  const meta = metaOf(owner, { name, labels }, options);
  const mapOf = (suffix: string, content: Pick<V1ConfigMap, 'data' | 'binaryData'>): V1ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: meta(suffix),
    immutable: true,
    ...content,
  });
  const configMaps = [
    mapOf('-configuration', { data: { 'cube.js': cubeConfigurationText() } }),
    ...parts.map((part, index) => mapOf(`-model-${index}`, { binaryData: { part: part.toString('base64') } })),
  ];
  return {
    networkPolicy: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: meta(),
      spec: networkPolicyOf(name, options),
    },
    secret: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: meta(),
      immutable: true,
      type: 'Opaque',
      data: encoded(variables),
    },
    configMaps,
    deployment: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: meta(),
      spec: {
        replicas: 1,
        revisionHistoryLimit: 0,
        strategy: { type: 'Recreate' },
        selector: { matchLabels: { [ENGINE]: name } },
        template: {
          metadata: { labels },
          spec: podSpec(
            { name, version: order.version, parts: parts.length, tokenFolder: tokenFolderOf(order) },
            options,
          ),
        },
      },
    },
  };
}

const metaOf =
  (owner: V1Service, { name, labels }: Pick<Named, 'name' | 'labels'>, { namespace }: ManifestOptions) =>
  (suffix = ''): V1ObjectMeta => ({
    name: `${name}${suffix}`,
    namespace,
    labels,
    ownerReferences: [referenceTo(owner)],
  });

const tokensOf = (meta: (suffix: string) => V1ObjectMeta, tokens: readonly TokenFile[]): V1Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: meta(TOKENS_SUFFIX),
  type: 'Opaque',
  data: encoded(Object.fromEntries(tokens.map(({ fileName, token }) => [fileName, token]))),
});

const encoded = (texts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString('base64')]));

/** Where the official image is told of the tokens of its deployment. */
const tokenFolderOf = ({ place: { tenantId, deploymentId } }: EngineStart): string =>
  `/var/cube/${tenantId}/${deploymentId}`;

const referenceTo = ({ metadata }: V1Service): V1OwnerReference => ({
  apiVersion: 'v1',
  kind: 'Service',
  name: metadata?.name ?? '',
  uid: metadata?.uid ?? '',
});
