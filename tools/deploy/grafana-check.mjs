import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { parse } from 'yaml';
import { queryProblems } from './metrics-check.mjs';
import { read, root } from './tree.mjs';

const folder = 'deploy/grafana';
const text = { type: 'string', minLength: 1 };
const datasource = { const: { type: 'prometheus', uid: '${datasource}' } };
const ajv = new Ajv({ allErrors: true });

/** The part of Grafana's dashboard model that a dashboard cannot do without. */
const isDashboard = ajv.compile({
  type: 'object',
  required: ['uid', 'title', 'schemaVersion', 'templating', 'panels'],
  properties: {
    uid: { type: 'string', pattern: '^[a-z0-9-]{1,40}$' },
    title: text,
    id: false,
    schemaVersion: { type: 'integer', minimum: 39 },
    panels: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'type', 'title', 'gridPos'],
        properties: {
          id: { type: 'integer' },
          type: { enum: ['row', 'timeseries', 'stat', 'table'] },
          title: text,
          datasource,
          targets: {
            type: 'array',
            minItems: 1,
            items: {
              type: 'object',
              required: ['refId', 'expr', 'datasource', 'legendFormat'],
              properties: { refId: text, expr: text, legendFormat: text, datasource },
            },
          },
        },
      },
    },
  },
});

/** Prometheus' rule files: https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules */
const duration = { type: 'string', pattern: '^[0-9]+[smhd]$' };
const object = (properties, required) => ({ type: 'object', properties, required, additionalProperties: false });
const rule = object(
  {
    alert: { type: 'string', pattern: '^Plinth[A-Za-z]+$' },
    expr: text,
    for: duration,
    labels: object({ severity: { enum: ['critical', 'warning'] } }, ['severity']),
    annotations: object({ summary: text, description: text }, ['summary']),
  },
  ['alert', 'expr', 'labels', 'annotations'],
);
const isRuleFile = ajv.compile(
  object(
    {
      groups: {
        type: 'array',
        items: object({ name: text, rules: { type: 'array', items: rule } }, ['name', 'rules']),
      },
    },
    ['groups'],
  ),
);

/** What is wrong with the dashboards and the alerting rules: their form, and queries for what no process exports. */
export function grafanaProblems() {
  return readdirSync(join(root, folder)).flatMap((name) => {
    const content = read(join(folder, name));
    const problems = name.endsWith('.json') ? dashboardProblems(JSON.parse(content)) : ruleProblems(parse(content));
    return problems.map((problem) => `${folder}/${name}: ${problem}`);
  });
}

const errorsOf = ({ errors }) => errors.map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);

function dashboardProblems(dashboard) {
  if (!isDashboard(dashboard)) return errorsOf(isDashboard);
  const { panels, templating } = dashboard;
  const ids = panels.map(({ id }) => id);
  return [
    ...(new Set(ids).size === ids.length ? [] : ['two panels have one id']),
    ...(templating.list.some(({ name, type }) => name === 'datasource' && type === 'datasource')
      ? []
      : ['there is no variable for the data source']),
    ...panels.filter(overlaps).map(({ title }) => `${title} lies on another panel`),
    ...panels.flatMap(({ title, targets = [] }) =>
      targets.flatMap(({ expr }) => queryProblems(expr).map((problem) => `${title}: ${problem}`)),
    ),
  ];
}

const overlaps = ({ gridPos: a }, index, panels) =>
  a.x + a.w > 24 ||
  panels
    .slice(0, index)
    .some(({ gridPos: b }) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h);

function ruleProblems(rules) {
  if (!isRuleFile(rules)) return errorsOf(isRuleFile);
  return rules.groups.flatMap((group) =>
    group.rules.flatMap(({ alert, expr }) => queryProblems(expr).map((problem) => `${alert}: ${problem}`)),
  );
}
