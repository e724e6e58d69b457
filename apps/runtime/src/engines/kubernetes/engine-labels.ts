import { EngineFailed, type EngineStart } from '../engine-driver';

const NAME = 'app.kubernetes.io/name';
const INSTANCE = 'app.kubernetes.io/instance';
const COMPONENT = 'app.kubernetes.io/component';
const VERSION = 'app.kubernetes.io/version';
const MANAGED_BY = 'app.kubernetes.io/managed-by';
export const ENGINE = 'plinth.dev/engine';
export const DEPLOYMENT = 'plinth.dev/deployment';
const TENANT = 'plinth.dev/tenant';
const ENVIRONMENT = 'plinth.dev/environment';
const REVISION = 'plinth.dev/revision';
const COMMIT = 'plinth.dev/commit';
/** Annotation: the runtime that an engine belongs to, which alone ends it. */
export const HOLDER = 'plinth.dev/runtime';

const VALUE = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;

export type Labels = Record<string, string>;

/** Which engines of the namespace are of this installation. */
export const labelsOfInstance = (instance: string): Labels => ({
  [NAME]: 'plinth-engine',
  [INSTANCE]: instance,
  [MANAGED_BY]: 'plinth',
});

/** By which the pods of runtimes are known, as the chart labels them. */
export const labelsOfRuntimes = (instance: string): Labels => ({ [INSTANCE]: instance, [COMPONENT]: 'runtime' });

/** What engines have in common that would serve an environment alike. */
export const labelsOfRevision = (instance: string, { place }: EngineStart, revision: string): Labels => ({
  ...labelsOfInstance(instance),
  [ENVIRONMENT]: String(place.environmentId),
  [REVISION]: revision,
});

/**
 * What the objects of an engine carry. Names that people choose, as those of branches, are not among it.
 *
 * @throws EngineFailed for what is no label
 */
export function labelsOfEngine(instance: string, order: EngineStart, revision: string, name: string): Labels {
  const { place, version, commitHash } = order;
  const labels = {
    ...labelsOfRevision(instance, order, revision),
    [COMPONENT]: 'engine',
    [VERSION]: version,
    [ENGINE]: name,
    [TENANT]: String(place.tenantId),
    [DEPLOYMENT]: String(place.deploymentId),
    [COMMIT]: commitHash,
  };
  for (const value of Object.values(labels)) {
    if (!VALUE.test(value)) throw new EngineFailed('The engine cannot be named in the cluster');
  }
  return labels;
}

/** As the API takes them to select objects. */
export const selectorOf = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
