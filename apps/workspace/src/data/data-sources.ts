import type { Schemas } from '@plinth/contract';
import type { DataSource } from './data-results.service';

/** Each is a query of its own. */
const MOST_COMPARISONS = 5;

/** What a report, or what was frozen of one, asks. */
export const dataSourceOf = ({
  reportId,
  pythonCode,
  jsonQuery = null,
  sqlQuery = null,
  periodComparisons,
  fillMissingRows = null,
  preferences,
}: Partial<Schemas['ReportSnapshot']> & { reportId: number }): DataSource => ({
  reportId,
  pythonCode: pythonCode || null,
  jsonQuery,
  sqlQuery,
  periodComparisons: (periodComparisons ?? []).slice(0, MOST_COMPARISONS),
  fillMissingRows,
  columnFormats: preferences?.columnFormats ?? {},
});
