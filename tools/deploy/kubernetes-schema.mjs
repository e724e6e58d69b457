// Writes kubernetes-schema.json: what a Kubernetes API server accepts for the kinds that the chart and the runtime make.
//
//   pip download --no-deps --dest FOLDER kubernetes-validate==1.37.0 && unzip -d FOLDER FOLDER/*.whl
//   node tools/deploy/kubernetes-schema.mjs FOLDER/kubernetes_validate/kubernetes-json-schema/v1.30.0-local-strict
//
// The package holds the project's OpenAPI definitions (Apache-2.0) as JSON Schemas. The version is the oldest that the
// chart supports. Descriptions are left out, and so is null: Kubernetes takes it for any field, but a template that
// renders it has lost a value.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './tree.mjs';

const kinds = {
  'v1/ConfigMap': 'io.k8s.api.core.v1.ConfigMap',
  'v1/PersistentVolumeClaim': 'io.k8s.api.core.v1.PersistentVolumeClaim',
  'v1/Secret': 'io.k8s.api.core.v1.Secret',
  'v1/Service': 'io.k8s.api.core.v1.Service',
  'v1/ServiceAccount': 'io.k8s.api.core.v1.ServiceAccount',
  'apps/v1/Deployment': 'io.k8s.api.apps.v1.Deployment',
  'autoscaling/v2/HorizontalPodAutoscaler': 'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler',
  'networking.k8s.io/v1/Ingress': 'io.k8s.api.networking.v1.Ingress',
  'networking.k8s.io/v1/NetworkPolicy': 'io.k8s.api.networking.v1.NetworkPolicy',
  'rbac.authorization.k8s.io/v1/Role': 'io.k8s.api.rbac.v1.Role',
  'rbac.authorization.k8s.io/v1/RoleBinding': 'io.k8s.api.rbac.v1.RoleBinding',
  'policy/v1/PodDisruptionBudget': 'io.k8s.api.policy.v1.PodDisruptionBudget',
};

const [folder] = process.argv.slice(2);
const definitions = JSON.parse(readFileSync(join(folder, '_definitions.json'), 'utf8')).$defs;
const taken = {};

function take(name) {
  if (taken[name]) return;
  taken[name] = {};
  taken[name] = reduced(definitions[name]);
}

function reduced(node) {
  if (Array.isArray(node)) return node.map(reduced);
  if (node === null || typeof node !== 'object') return node;
  const { description, $ref, type, ...rest } = node;
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1);
    take(name);
    return { $ref: `#/$defs/${name}` };
  }
  const entries = Object.entries(rest).filter(([key]) => !key.startsWith('x-kubernetes-'));
  return Object.fromEntries([
    ...(typeof description === 'object' ? [['description', reduced(description)]] : []),
    ...(type === undefined ? [] : [['type', reducedType(type)]]),
    ...entries.map(([key, value]) => [key, reduced(value)]),
  ]);
}

/** Under `properties`, "type" is the name of a field. */
const reducedType = (type) => (Array.isArray(type) ? type.find((name) => name !== 'null') : reduced(type));

for (const name of Object.values(kinds)) take(name);
const schema = { kinds, $defs: taken };
writeFileSync(join(root, 'tools/deploy/kubernetes-schema.json'), `${JSON.stringify(schema)}\n`);
