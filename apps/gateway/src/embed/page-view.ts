import { type Html, html } from '@plinth/html';

/** How a page is shown, as its address and its forms say; null where they do not. */
export interface PageView {
  /** Frame whose session it is. */
  frame: string;
  theme: 'light' | 'dark' | null;
  locale: string | null;
  timezone: string | null;
  /** Folder of the list of content that is open; null for the outermost. */
  folder: string | null;
  /** Deployment from whose list a dashboard was opened; null for one that was not. */
  list: string | null;
  /** Position of the comments that are shown; null for the newest. */
  after: string | null;
  /** Thing of the list whose sharing is shown, by its kind and id. */
  share: string | null;
  /** What was chosen, by the names of the fields; null for what the dashboard has saved. */
  fields: Readonly<Record<string, string[]>> | null;
}

const FIELD = 'c.';
const MOST_FIELDS = 500;
const LONGEST_VALUE = 1_000;

/** @param given the query of an address, or a form. */
export function viewIn(given: URLSearchParams, frame = given.get('frame') ?? ''): PageView {
  const theme = given.get('theme');
  return {
    frame,
    theme: theme === 'light' || theme === 'dark' ? theme : null,
    locale: localeIn(given.get('locale')),
    timezone: timeZoneIn(given.get('timezone')),
    folder: idIn(given.get('folder')),
    list: idIn(given.get('list')),
    after: cursorIn(given.get('after')),
    share: itemIn(given.get('share')),
    fields: given.has('chosen') ? fieldsIn(given) : null,
  };
}

function fieldsIn(given: URLSearchParams): Record<string, string[]> {
  const names = [...new Set([...given.keys()].filter((name) => name.startsWith(FIELD)))].slice(0, MOST_FIELDS);
  const filled = (name: string): string[] =>
    given
      .getAll(name)
      .filter((value) => value !== '' && value.length <= LONGEST_VALUE)
      .slice(0, MOST_FIELDS);
  return Object.fromEntries(names.map((name) => [name, filled(name)]));
}

/** The address that shows the same again. */
export function addressOf(path: string, view: PageView): string {
  return `${path}?${new URLSearchParams(pairsOf(view)).toString()}`;
}

/** The same as hidden fields of a form; without `withFields` for the form whose fields these are. */
export const hiddenFields = (view: PageView, withFields: boolean): Html[] =>
  pairsOf(withFields ? view : { ...view, fields: null }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );

const idIn = (text: string | null): string | null => (text !== null && /^[1-9][0-9]{0,14}$/.test(text) ? text : null);

/** What is none is refused where it is used. */
const cursorIn = (text: string | null): string | null => (text && text.length <= LONGEST_VALUE ? text : null);

const itemIn = (text: string | null): string | null =>
  text !== null && /^(FOLDER|WORKBOOK)\.[1-9][0-9]{0,14}$/.test(text) ? text : null;

function pairsOf({ fields, ...view }: PageView): [string, string][] {
  const named = Object.entries(view).filter((pair): pair is [string, string] => pair[1] !== null);
  if (fields === null) return named;
  const chosen = Object.entries(fields).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return [...named, ['chosen', '1'], ...chosen];
}

/** What is no language tag or time zone falls through to the next that is known. */
export function localeIn(tag: string | null | undefined): string | null {
  if (!tag || tag.length > 100) return null;
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}

export function timeZoneIn(name: string | null | undefined): string | null {
  if (!name || !/^[A-Za-z]/.test(name) || name.length > 100) return null;
  try {
    // Its own name for the zone may be an older one.
    return new Intl.DateTimeFormat('en', { timeZone: name }) && name;
  } catch {
    return null;
  }
}
