import { reportIdOf, withWidgets, type DashboardConfig } from '../dashboards/dashboard-config';
import { isDeep } from './documents';
import type { StoredDetails, StoredItem } from './stored-item';
import { slugOf, type StoredTree } from './stored-tree';

/** What the files of stored things say; whatever is null is left out. */
const present = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));

export const folderContent = ({ name, position }: StoredItem): Record<string, unknown> => present({ name, position });

export function workbookContent(item: StoredItem, { meta }: StoredDetails): Record<string, unknown> {
  const isEmpty = meta !== null && Object.keys(meta).length === 0;
  return present({ name: item.name, slug: slugOf(item), meta: isEmpty ? null : meta });
}

export function reportContent(item: StoredItem, details: StoredDetails): Record<string, unknown> {
  const { title, source, jsonQuery, sqlQuery, meta, pivotItems } = details;
  return present({
    name: item.name,
    publicId: item.publicId,
    title,
    source,
    jsonQuery: structured(jsonQuery),
    sqlQuery,
    meta,
    pivotItems,
  });
}

export const publishedContent = (
  { title, description, config }: NonNullable<StoredDetails['published']>,
  tree: StoredTree,
): Record<string, unknown> => present({ title, description, config: portable(config, tree) });

/** Charts name their reports by public ids, which are the same everywhere. */
export const portable = (config: DashboardConfig, tree: StoredTree): DashboardConfig =>
  withReportIds(config, (id) => tree.publicIdOf(id));

/** With other ids of reports in the charts; undefined leaves one as it is. */
export const withReportIds = (
  config: DashboardConfig,
  idOf: (id: unknown) => string | number | undefined,
): DashboardConfig =>
  withWidgets(config, (widget) => {
    const reportId = idOf(reportIdOf(widget));
    return reportId === undefined ? widget : { ...widget, config: { ...widget.config, reportId } };
  });

/** A query as it is read best, if all but its white space can be made of it again. */
export function structured(text: string | null): unknown {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    const isLossless = withoutSpace(JSON.stringify(value)) === withoutSpace(text);
    return isLossless && !isDeep([value]) ? value : text;
  } catch {
    return text;
  }
}

const withoutSpace = (text: string): string => text.replace(/\s/g, '');
