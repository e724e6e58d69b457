import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';

const template = resolve(__dirname, '../../../../../deploy/helm/plinth/templates/engine-role.yaml');

interface Rule {
  resources: string[];
  verbs: string[];
}

/** The rules of the chart's role for runtimes, which hold nothing that the chart fills in. */
const [, text = ''] = /^rules:\n((?: +.*\n)+)/m.exec(readFileSync(template, 'utf8')) ?? [];
const rules = parse(text) as Rule[];

export const isAllowed = (verb: string, resource: string): boolean =>
  rules.some(({ resources, verbs }) => resources.includes(resource) && verbs.includes(verb));
