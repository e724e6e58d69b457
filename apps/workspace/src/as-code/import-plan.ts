import { reportIdOf, storedConfig, type DashboardConfigInput } from '../dashboards/dashboard-config';
import type { Declared, DeclaredContent, DeclaredFolder, DeclaredReport, DeclaredWorkbook } from './declared';
import type { Matches } from './matches';
import type { StoredDetails, StoredItem } from './stored-item';
import type { StoredTree } from './stored-tree';
import { portable, publishedContent, structured, workbookContent } from './written-content';

/** What is there of a declared thing, and which parts of it are other. */
export interface Planned<Kind> {
  declared: Kind;
  stored: StoredItem | undefined;
  fields: string[];
}

export interface ImportPlan {
  folders: Planned<DeclaredFolder>[];
  workbooks: Planned<DeclaredWorkbook>[];
  reports: Planned<DeclaredReport>[];
  /** Inner things before those around them. */
  deleted: StoredItem[];
}

/** What there is. */
export interface Known {
  tree: StoredTree;
  details: ReadonlyMap<number, StoredDetails>;
}

/** Compares what an archive says with what there is. */
export function planOf(
  declared: DeclaredContent,
  matches: Matches,
  { tree, details }: Known,
  prune: boolean,
): ImportPlan {
  const folders = [...declared.folders.values()].map((folder) =>
    // Without a position, a folder stays where it is among the others.
    planned(folder, matches.at(folder.directory), ({ position }) =>
      changed({ position: [position, folder.position ?? position] }),
    ),
  );
  const redefined = new Set<unknown>();
  const reports = declared.reports.map((report) =>
    planned(report, matches.report(report.publicId), (stored) => {
      const fields = reportFields(report, stored, details.get(stored.id));
      if (fields.length > 0) redefined.add(report.publicId);
      return [...placeField(report, stored, matches), ...fields];
    }),
  );
  const workbooks = [...declared.workbooks.values()].map((workbook) =>
    planned(workbook, matches.at(workbook.directory), (stored) => [
      ...placeField(workbook, stored, matches),
      ...workbookFields(workbook, stored, details.get(stored.id), tree),
      ...publishedField(workbook, details.get(stored.id), tree, redefined),
    ]),
  );
  return { folders, workbooks, reports, deleted: prune ? deletedOf(tree, matches) : [] };
}

/** What an import has to do with a thing, if anything. */
export const isChange = ({ stored, fields }: Planned<unknown>): boolean => !stored || fields.length > 0;

const planned = <Kind>(
  declared: Kind,
  stored: StoredItem | undefined,
  fieldsOf: (stored: StoredItem) => string[],
): Planned<Kind> => ({ declared, stored, fields: stored ? fieldsOf(stored) : [] });

const same = (left: unknown, right: unknown): boolean => JSON.stringify(left ?? null) === JSON.stringify(right ?? null);

const changed = (pairs: Record<string, readonly [was: unknown, shall: unknown]>): string[] =>
  Object.entries(pairs).flatMap(([field, [was, shall]]) => (same(was, shall) ? [] : [field]));

function placeField({ parent }: Declared, { parentId }: StoredItem, matches: Matches): string[] {
  const target = parent === '' ? null : matches.at(parent)?.id;
  return target === parentId ? [] : ['place'];
}

function workbookFields(
  { name, meta, draft }: DeclaredWorkbook,
  stored: StoredItem,
  details: StoredDetails | undefined,
  tree: StoredTree,
): string[] {
  if (!details) return [];
  return changed({
    name: [stored.name, name],
    meta: [workbookContent(stored, details)['meta'] ?? {}, meta],
    dashboardDraft: [details.draft && portable(details.draft, tree), draft?.config],
  });
}

/** What is published shows reports as they were then, so that it is other when one of these is. There is no way back. */
function publishedField(
  { published }: DeclaredWorkbook,
  details: StoredDetails | undefined,
  tree: StoredTree,
  redefined: ReadonlySet<unknown>,
): string[] {
  if (!published || !details) return [];
  const isOutdated = (published.config.widgets ?? []).some((widget) => redefined.has(reportIdOf(widget)));
  const isSame = same(shownOf(details.published, tree), shown(published));
  return isSame && !isOutdated ? [] : ['dashboardPublished'];
}

type Published = NonNullable<StoredDetails['published']>;

const shown = ({ title, description, config }: Published): unknown[] => [title, description, config];

function shownOf(published: Published | null, tree: StoredTree): unknown {
  if (!published) return null;
  const config = storedConfig(publishedContent(published, tree)['config'] as DashboardConfigInput, '');
  return shown({ ...published, config });
}

function reportFields(report: DeclaredReport, stored: StoredItem, details: StoredDetails | undefined): string[] {
  if (!details) return [];
  const { title, jsonQuery, sqlQuery, meta, pivotItems } = details;
  return changed({
    name: [stored.name, report.name],
    title: [title, report.title],
    jsonQuery: [structured(jsonQuery), structured(report.jsonQuery)],
    sqlQuery: [sqlQuery, report.sqlQuery],
    meta: [meta, report.meta],
    pivotItems: [pivotItems, report.pivotItems],
  });
}

function deletedOf(tree: StoredTree, matches: Matches): StoredItem[] {
  const missing = [...tree.walk()].map(({ item }) => item).filter(({ id }) => !matches.found.has(id));
  const order = { REPORT: 0, WORKBOOK: 1, FOLDER: 2 };
  return missing.sort((a, b) => order[a.type] - order[b.type] || b.path.length - a.path.length || a.id - b.id);
}
