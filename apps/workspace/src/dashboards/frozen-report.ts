import type { Schemas } from '@plinth/contract';

/** A report as a version of a dashboard keeps it. */
export type FrozenReport = Omit<Schemas['ReportSnapshot'], 'id'>;

/** What of a report is frozen. */
export interface ReportToFreeze {
  id: number;
  name: string;
  version: number;
  title: string | null;
  description: string | null;
  jsonQuery: string | null;
  sqlQuery: string | null;
  meta: Record<string, unknown> | null;
}

const kinds: readonly unknown[] = ['vega', 'table', 'kpi', 'html', 'map', 'sankey'];
const columnTypes: readonly unknown[] = ['currency', 'percent', 'number'];

/** A report as it is now. How it is shown stands in its `meta`, where clients may have put anything (ruling 37). */
export function freeze({
  id,
  name,
  version,
  title,
  description,
  jsonQuery,
  sqlQuery,
  meta,
}: ReportToFreeze): FrozenReport {
  const { kind, spec, pythonCode, preferences, periodComparisons, fillMissingRows } = meta ?? {};
  return {
    reportId: id,
    versionNumber: version,
    name,
    title,
    description,
    kind: kinds.includes(kind) ? (kind as NonNullable<FrozenReport['kind']>) : 'table',
    spec: isText(spec) || isObject(spec) ? spec : null,
    pythonCode: isText(pythonCode) ? pythonCode : null,
    jsonQuery,
    sqlQuery,
    preferences: preferencesIn(preferences),
    periodComparisons: Array.isArray(periodComparisons) ? periodComparisons.filter(isComparison) : null,
    fillMissingRows: isFilling(fillMissingRows) ? fillMissingRows : null,
    meta,
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTextsOrNothing = (value: unknown): boolean => value == null || (Array.isArray(value) && value.every(isText));

function preferencesIn(value: unknown): Schemas['ReportSnapshotPreferences'] | null {
  if (!isObject(value)) return null;
  const { columnFormats, ...rest } = value;
  if (!isObject(columnFormats)) return rest;
  const known = Object.entries(columnFormats).filter(([, format]) => isFormat(format));
  return { ...rest, columnFormats: Object.fromEntries(known) as Record<string, Schemas['ColumnFormatOverride']> };
}

const isFormat = (value: unknown): boolean =>
  isObject(value) &&
  columnTypes.includes(value['type']) &&
  (value['decimalPlaces'] == null || Number.isInteger(value['decimalPlaces']));

const isComparison = (value: unknown): value is Schemas['PeriodComparison'] =>
  isObject(value) &&
  isText(value['measure']) &&
  isText(value['timeDimension']) &&
  isTextsOrNothing(value['outputs']) &&
  isObject(value['offset']) &&
  Number.isInteger(value['offset']['amount']) &&
  isText(value['offset']['unit']);

const isFilling = (value: unknown): value is Schemas['FillMissingRows'] =>
  isObject(value) && isText(value['member']) && isTextsOrNothing(value['excludedDimensions']);
