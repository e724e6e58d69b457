import type { Schemas } from '@plinth/contract';

/** How a report is shown, and what is done with its rows before. */
export type ReportPresentation = Required<
  Pick<
    Schemas['ReportSnapshot'],
    'kind' | 'spec' | 'pythonCode' | 'preferences' | 'periodComparisons' | 'fillMissingRows'
  >
>;

const kinds: readonly unknown[] = ['vega', 'table', 'kpi', 'html', 'map', 'sankey'];
const columnTypes: readonly unknown[] = ['currency', 'percent', 'number'];

/** It stands in the `meta` of a report, where clients may have put anything (ruling 37): the rest is passed over. */
export function presentationIn(meta: Readonly<Record<string, unknown>> | null): ReportPresentation {
  const { kind, spec, pythonCode, preferences, periodComparisons, fillMissingRows } = meta ?? {};
  return {
    kind: kinds.includes(kind) ? (kind as NonNullable<ReportPresentation['kind']>) : 'table',
    spec: isText(spec) || isObject(spec) ? spec : null,
    pythonCode: isText(pythonCode) ? pythonCode : null,
    preferences: preferencesIn(preferences),
    periodComparisons: Array.isArray(periodComparisons) ? periodComparisons.filter(isComparison) : null,
    fillMissingRows: isFilling(fillMissingRows) ? fillMissingRows : null,
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
  isObject(value) && columnTypes.includes(value['type']) && isCountOrNothing(value['decimalPlaces']);

const isCountOrNothing = (value: unknown): boolean =>
  value == null || (typeof value === 'number' && Number.isInteger(value) && value >= 0);

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
