import type { Schemas } from '@plinth/contract';

type Settings = Schemas['EmbedSessionSettings'];

/** The switches that say something: null means the same as nothing. */
export const givenSettings = (settings: Settings | null | undefined): Settings =>
  Object.fromEntries(Object.entries(settings ?? {}).filter(([, value]) => value !== null));

/** The language tag in its canonical form; null for what is none. */
export function localeOf({ locale }: Settings): string | null {
  try {
    return Intl.getCanonicalLocales(locale ?? undefined)[0] ?? null;
  } catch {
    return null;
  }
}

/** The time zone; null for a name that there is not, and for an offset, which is no zone. */
export function timeZoneOf({ timezone }: Settings): string | null {
  if (timezone == null || /^[+-]/.test(timezone)) return null;
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
    return timezone;
  } catch {
    return null;
  }
}
