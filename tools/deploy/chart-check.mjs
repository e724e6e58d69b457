import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { chart, findHelm, readChart, runHelm } from './helm.mjs';
import { manifestProblems } from './manifest-check.mjs';
import { root } from './tree.mjs';
import { documentedValues, valuesOf } from './values-table.mjs';

/** Values that must be refused, each with a word of the reason. */
const refused = [
  ['scaling.kedda.enabled=true', 'kedda'],
  ['services.worker.replicas=1', 'worker'],
  ['services.build-worker.endpointRemovalSeconds=5', 'endpointRemovalSeconds'],
  ['services.gateway.settings.LOG_LEVEL=debug', 'LOG_LEVEL'],
  ['nats.url=nats://user:password@nats:4222', 'url'],
  ['scaling.keda.enabled=true', 'prometheusUrl'],
  ['image.digest=latest', 'digest'],
  ['storage.size=lots', 'size'],
  ['ingress.enabled=true', 'hosts'],
  ['trustedProxies=null', '403'],
];

/** Renders the chart with every file of values in its ci folder and checks what comes out. */
export function chartProblems(note) {
  const problems = tableProblems();
  const helm = findHelm(note);
  if (helm) {
    const files = readdirSync(join(root, chart, 'ci')).map((file) => join(chart, 'ci', file));
    problems.push(...files.flatMap((file) => renderingProblems(helm, file)), ...refusalProblems(helm));
  }
  return problems.map((problem) => `${chart}: ${problem}`);
}

function renderingProblems(helm, file) {
  const lint = runHelm(helm, 'lint', '--strict', chart, '--values', file);
  if (!lint.ok) return [`${file}: ${lint.stdout}${lint.stderr}`];
  const { ok, stdout, stderr } = render(helm, '--values', file);
  if (!ok) return [`${file}: ${stderr}`];
  const documents = parseAllDocuments(stdout);
  const broken = documents.flatMap(({ errors }) => errors.map(({ message }) => message));
  const manifests = documents.map((document) => document.toJS()).filter(Boolean);
  return [...broken, ...(broken.length > 0 ? [] : manifestProblems(manifests))].map((problem) => `${file}: ${problem}`);
}

const refusalProblems = (helm) =>
  refused.flatMap(([value, reason]) => {
    const { ok, stderr } = render(helm, '--values', join(chart, 'ci/minimal-values.yaml'), '--set', value);
    if (ok) return [`${value} is accepted`];
    return stderr.includes(reason) ? [] : [`${value} is refused for another reason: ${stderr}`];
  });

const render = (helm, ...values) =>
  runHelm(helm, 'template', 'release-name', chart, '--namespace', 'plinth', '--kube-version', '1.30.0', ...values);

/** The README explains each value with its default, and no other. */
function tableProblems() {
  const [documented, actual] = [documentedValues(readChart('README.md')), valuesOf(readChart('values.yaml'))];
  return [
    ...[...actual].flatMap(([path, value]) =>
      documented.get(path) === value ? [] : [`README.md does not give ${path} with its default ${value}`],
    ),
    ...[...documented.keys()]
      .filter((path) => !actual.has(path))
      .map((path) => `README.md explains ${path}, which is no value`),
  ];
}
