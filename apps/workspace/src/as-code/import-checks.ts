import { rankOf, type Level } from '../content';
import { reportIdOf } from '../dashboards/dashboard-config';
import type { Declared, DeclaredWorkbook } from './declared';
import { isChange, type ImportPlan, type Planned } from './import-plan';
import type { Matches } from './matches';
import type { ImportProblems } from './problems';
import type { StoredItem } from './stored-item';

/** Names that are taken, by whomsoever: slugs in the deployment, public ids in the account. */
export interface Holders {
  slugs: ReadonlySet<string>;
  publicIds: ReadonlySet<string>;
}

/** Notes whatever stands in the way of a plan. */
export function checkPlan(plan: ImportPlan, matches: Matches, holders: Holders, problems: ImportProblems): void {
  for (const each of [...plan.folders, ...plan.workbooks, ...plan.reports]) checkRights(each, matches, problems);
  for (const item of plan.deleted) checkRank(item, 'manage', problems, item.publicId ?? item.slug ?? item.name);
  checkOnce(plan.workbooks, 'slug', problems);
  checkOnce(plan.reports, 'publicId', problems);
  checkFree(plan.workbooks, 'slug', holders.slugs, problems);
  checkFree(plan.reports, 'publicId', holders.publicIds, problems);
  checkCharts(plan, matches, problems);
}

type Named<Field extends string> = Planned<Declared & Record<Field, string>>;

function checkOnce<Field extends string>(
  things: readonly Named<Field>[],
  field: Field,
  problems: ImportProblems,
): void {
  const seen = new Map<string, string>();
  for (const { declared } of things) {
    const first = seen.get(declared[field]);
    if (first === undefined) seen.set(declared[field], declared.file);
    else problems.add('invalid', declared.file, `${field} stands in ${first}, too`, declared.content.lineOf([field]));
  }
}

/** Of new things; what the viewer can see would have been found. */
function checkFree<Field extends string>(
  things: readonly Named<Field>[],
  field: Field,
  taken: ReadonlySet<string>,
  problems: ImportProblems,
): void {
  for (const { declared, stored } of things) {
    if (stored || !taken.has(declared[field])) continue;
    const message = `${field} is taken by something of the account that is elsewhere, or not for you to see`;
    problems.add('conflict', declared.file, message, declared.content.lineOf([field]));
  }
}

/** Charts name reports that there are after the import. */
function checkCharts({ workbooks, reports, deleted }: ImportPlan, matches: Matches, problems: ImportProblems): void {
  const declared = new Set(reports.map((report) => report.declared.publicId));
  const goes = new Set(deleted.map(({ id }) => id));
  const isMissing = (publicId: string): boolean => {
    const stored = matches.report(publicId);
    return !declared.has(publicId) && (!stored || goes.has(stored.id));
  };
  for (const { content, config, prefix } of workbooks.flatMap((workbook) => dashboardsOf(workbook.declared))) {
    for (const [index, widget] of (config.widgets ?? []).entries()) {
      const reportId = reportIdOf(widget);
      if (typeof reportId !== 'string' || !isMissing(reportId)) continue;
      const line = content.lineOf([...prefix, 'widgets', index, 'config', 'reportId']);
      problems.add('invalid', content.file, `reportId names no report that you may read: ${reportId}`, line);
    }
  }
}

/** With where the configuration stands in the file. */
const dashboardsOf = ({ draft, published }: DeclaredWorkbook) => [
  ...(draft ? [{ ...draft, prefix: [] }] : []),
  ...(published ? [{ ...published, prefix: ['config'] }] : []),
];

/** New things and moved ones need the right to edit where they go, which new folders and workbooks give. */
function checkRights(planned: Planned<Declared>, matches: Matches, problems: ImportProblems): void {
  const { declared, stored, fields } = planned;
  if (!isChange(planned)) return;
  const moves = fields.includes('place');
  if (stored) checkRank(stored, moves ? 'manage' : 'edit', problems, declared.file);
  const around = matches.at(declared.parent);
  if (around && (!stored || moves)) checkRank(around, 'edit', problems, declared.file);
}

function checkRank({ rank, name }: StoredItem, level: Level, problems: ImportProblems, file: string): void {
  if (rank < rankOf(level)) problems.add('refused', file, `needs the right to ${level} ${JSON.stringify(name)}`);
}
