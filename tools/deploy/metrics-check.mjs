import { collectDefaultMetrics, Registry } from 'prom-client';
import { sources } from './declared-settings.mjs';
import { read } from './tree.mjs';

const registration = /new (Counter|Gauge|Histogram|Summary)(?:<[^>]*>)?\(\{\s*name: '(\w+)',[\s\S]*?\}\)/g;
const ownMetric = /\bname: '(plinth_\w+)'/g;
const histogramParts = ['_bucket', '_sum', '_count'];

/** Every series that a process exports, each with its labels. */
function exportedSeries() {
  const series = new Map();
  const add = (type, name, labels) => {
    const parts = type === 'histogram' ? histogramParts : [''];
    for (const part of parts) series.set(name + part, new Set([...labels, ...(part === '_bucket' ? ['le'] : [])]));
  };
  for (const text of sources()) {
    for (const [declaration, type, name] of text.matchAll(registration)) {
      const labels = /labelNames: \[([^\]]*)\]/.exec(declaration)?.[1] ?? '';
      add(
        type.toLowerCase(),
        name,
        [...labels.matchAll(/'(\w+)'/g)].map(([, label]) => label),
      );
    }
  }
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const { name, type } of registry.getMetricsAsArray()) add(type, name, ['version', 'kind', 'type', 'space']);
  registry.clear();
  return series;
}

const series = exportedSeries();
/** Labels that Prometheus adds when it scrapes. */
const scraped = ['job', 'instance', 'namespace', 'pod', 'service'];

/** Series and labels of a PromQL query that no process exports. */
export function queryProblems(query) {
  const named = [...query.matchAll(/\b((?:plinth|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)];
  if (named.length === 0 && !/\bup\b/.test(query)) return [`"${query}" asks for nothing of Plinth`];
  const known = new Set([...scraped, ...named.flatMap(([, name]) => [...(series.get(name) ?? [])])]);
  return [
    ...named.filter(([, name]) => !series.has(name)).map(([, name]) => `${name} is no metric of any service`),
    ...labelsOf(query)
      .filter((label) => !known.has(label))
      .map((label) => `"${query}" uses the label ${label}, which its metrics do not have`),
  ];
}

const labelsOf = (query) => [
  ...[...query.matchAll(/\{([^}]*)\}/g)].flatMap(([, matchers]) =>
    [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label),
  ),
  ...[...query.matchAll(/\b(?:by|without)\s*\(([^)]*)\)/g)].flatMap(([, labels]) => labels.match(/\w+/g) ?? []),
];

/** Metrics of ours that the handbook of operators does not name, or names and no process exports. */
export function documentedMetricsProblems() {
  const handbook = 'docs/operations.md';
  const named = new Set([...read(handbook).matchAll(/^\| `(plinth_\w+)`/gm)].map(([, name]) => name));
  const ours = new Set([...sources()].flatMap((text) => [...text.matchAll(ownMetric)].map(([, name]) => name)));
  return [
    ...[...ours].filter((name) => !named.has(name)).map((name) => `${handbook} does not name ${name}`),
    ...[...named].filter((name) => !ours.has(name)).map((name) => `${handbook} names ${name}, which nothing exports`),
  ];
}
