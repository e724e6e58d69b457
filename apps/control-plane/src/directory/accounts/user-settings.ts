import { isTimeZone, type Schemas } from '@plinth/contract';
import { invalidRequest } from '@plinth/errors';

type UserSettings = Schemas['UserSettings'];

const fields = ['theme', 'locale', 'timezone', 'defaultDeploymentId', 'alternatingRowColors'] as const;
const sheetFields = [
  'autoRunQueryOnChange',
  'openExplorationFromSheet',
  'revealSheetOnOpen',
  'showAppliedFilters',
  'suppressDuplicateValues',
] as const;

/** Preferences after a change: absent fields stay, null clears a field, `sheets` is merged field by field. */
export function mergeSettings(current: UserSettings, change: UserSettings): UserSettings {
  const sheets = change.sheets === null ? {} : merged(sheetFields, current.sheets ?? {}, change.sheets ?? {});
  return { ...merged(fields, current, change), ...(Object.keys(sheets).length > 0 && { sheets }) };
}

/** @throws AppError `request.invalid` (400) for a locale or a time zone that does not exist. */
export function checkSettings({ locale, timezone }: UserSettings, path: string): void {
  if (locale != null && !isLocale(locale)) {
    throw invalidRequest(`${path}/locale`, 'must be a language tag by BCP 47, such as en-GB');
  }
  if (timezone != null && !isTimeZone(timezone)) {
    throw invalidRequest(`${path}/timezone`, 'must be an IANA time zone, such as Europe/Berlin');
  }
}

function merged<T extends object>(names: readonly (keyof T)[], current: T, change: T): Partial<T> {
  const result: Partial<T> = {};
  for (const name of names) {
    const value = change[name] === undefined ? current[name] : change[name];
    if (value != null) result[name] = value;
  }
  return result;
}

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
