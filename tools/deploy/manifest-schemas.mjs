import Ajv from 'ajv/dist/2020.js';
import { read } from './tree.mjs';

// What the chart uses of the custom resources of KEDA (keda.sh) and of the Prometheus operator. Anything else is refused.
const text = { type: 'string', minLength: 1 };
const count = { type: 'integer', minimum: 0 };
const object = (properties, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const listOf = (items) => ({ type: 'array', items, minItems: 1 });
const texts = { type: 'object', additionalProperties: { type: 'string' } };
const api = (name) => ({ $ref: `kubernetes#/$defs/${name}` });

const resource = (apiVersion, kind, spec) =>
  object({
    apiVersion: { const: apiVersion },
    kind: { const: kind },
    metadata: api('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'),
    spec,
  });

const prometheusTrigger = object(
  {
    type: { const: 'prometheus' },
    name: text,
    metricType: { enum: ['AverageValue', 'Value'] },
    // KEDA takes every field of a trigger's metadata as text.
    metadata: object({
      serverAddress: { type: 'string', pattern: '^https?://' },
      query: text,
      threshold: { type: 'string', pattern: '^[0-9]+(\\.[0-9]+)?$' },
      ignoreNullValues: { enum: ['true', 'false'] },
    }),
    authenticationRef: object({ name: text }),
  },
  ['type', 'name', 'metricType', 'metadata'],
);

const scaledObject = object({
  scaleTargetRef: object({ apiVersion: text, kind: text, name: text }),
  minReplicaCount: count,
  maxReplicaCount: count,
  pollingInterval: count,
  fallback: object({ failureThreshold: count, replicas: count }),
  advanced: object({
    horizontalPodAutoscalerConfig: object({
      behavior: api('io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior'),
    }),
  }),
  triggers: listOf(prometheusTrigger),
});

const podMonitor = object({
  selector: object({ matchLabels: texts }),
  podMetricsEndpoints: listOf(
    object({
      port: text,
      path: text,
      interval: { type: 'string', pattern: '^[0-9]+s$' },
      relabelings: listOf(object({ sourceLabels: listOf(text), targetLabel: text })),
    }),
  ),
});

const custom = {
  'keda.sh/v1alpha1/ScaledObject': resource('keda.sh/v1alpha1', 'ScaledObject', scaledObject),
  'monitoring.coreos.com/v1/PodMonitor': resource('monitoring.coreos.com/v1', 'PodMonitor', podMonitor),
};

/** Returns a function that lists what the API server would refuse in a manifest. */
export function manifestValidator() {
  const { kinds, $defs } = JSON.parse(read('tools/deploy/kubernetes-schema.json'));
  const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'kubernetes', $defs });
  return (manifest) => {
    const kind = `${manifest.apiVersion}/${manifest.kind}`;
    if (!kinds[kind] && !custom[kind]) return [`${kind} is no kind that is known here`];
    const validate = ajv.compile(custom[kind] ?? api(kinds[kind]));
    if (validate(manifest)) return [];
    return validate.errors.map(({ instancePath, message, params }) =>
      `${instancePath || '/'} ${message} ${params.additionalProperty ?? ''}`.trimEnd(),
    );
  };
}
