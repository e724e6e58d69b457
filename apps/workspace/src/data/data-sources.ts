import type { DataSource } from './data-results.service';
import type { ColumnFormats } from './formatted-columns';
import type { FillMissingRows } from './missing-rows';
import type { PeriodComparison } from './period-comparisons';

/** What a report or a snapshot of one says of its data. */
interface Described {
  jsonQuery?: string | null;
  sqlQuery?: string | null;
  periodComparisons?: unknown;
  fillMissingRows?: unknown;
  preferences?: unknown;
}

/** Clients may have written anything: what is not as the contract says is passed over. */
export function dataSourceOf(described: Described): DataSource {
  const { jsonQuery = null, sqlQuery = null, periodComparisons, fillMissingRows, preferences } = described;
  const comparisons: unknown[] = Array.isArray(periodComparisons) ? periodComparisons : [];
  return {
    jsonQuery,
    sqlQuery,
    periodComparisons: comparisons.filter(isComparison).slice(0, MOST_COMPARISONS),
    fillMissingRows: isFilling(fillMissingRows) ? fillMissingRows : null,
    columnFormats: formatsIn(preferences),
  };
}

/** Each is a query of its own. */
const MOST_COMPARISONS = 5;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTexts = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.every((each) => typeof each === 'string'));

const isComparison = (value: unknown): value is PeriodComparison =>
  isObject(value) &&
  typeof value['measure'] === 'string' &&
  typeof value['timeDimension'] === 'string' &&
  isObject(value['offset']) &&
  Number.isInteger(value['offset']['amount']) &&
  typeof value['offset']['unit'] === 'string' &&
  isTexts(value['outputs']);

const isFilling = (value: unknown): value is FillMissingRows =>
  isObject(value) && typeof value['member'] === 'string' && isTexts(value['excludedDimensions']);

function formatsIn(preferences: unknown): ColumnFormats {
  const formats = isObject(preferences) ? preferences['columnFormats'] : undefined;
  if (!isObject(formats)) return {};
  const known = Object.entries(formats).filter(([, format]) => isFormat(format));
  return Object.fromEntries(known) as ColumnFormats;
}

const isFormat = (value: unknown): boolean => {
  if (!isObject(value) || typeof value['type'] !== 'string') return false;
  const places = value['decimalPlaces'] ?? 0;
  return Number.isInteger(places) && Number(places) >= 0;
};
