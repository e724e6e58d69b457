import { operations } from '@plinth/contract';
import type { ApiClient } from './api-client';

/** Things of one list that are looked into. */
const FOLLOWED = 3;
/** What differs between two looks at the same thing. */
const PASSING = new Set(['requestId', 'lastUsedAt']);

/**
 * What every reading operation of the API answers, by path: lists, and below them the first of their things. Those that are
 * refused are left out.
 */
export async function readWholeApi(client: ApiClient): Promise<Map<string, unknown>> {
  const answers = new Map<string, unknown>();
  const read = async (path: string): Promise<unknown> => {
    if (!answers.has(path)) {
      const { status, body } = await client.send('GET', path);
      answers.set(path, status === 200 ? lasting(body, client.baseUrl) : undefined);
    }
    return answers.get(path);
  };
  const paths = operations
    .filter(({ method, internal, stream }) => method === 'GET' && !internal && stream === undefined)
    .map(({ path }) => path);
  for (const path of paths) for (const target of await targetsOf(path, read)) await read(target);
  return new Map([...answers].filter(([, body]) => body !== undefined));
}

/** The path with ids for its parameters: of what the list before each of them answers. */
async function targetsOf(path: string, read: (path: string) => Promise<unknown>): Promise<string[]> {
  const [, before, , after] = /^(.*)\/(\{[^}]+\})(.*?)$/.exec(path) ?? [];
  if (before === undefined) return [path];
  const found: string[] = [];
  for (const list of await targetsOf(before, read)) {
    for (const id of idsOf(await read(list))) found.push(`${list}/${encodeURIComponent(id)}${after ?? ''}`);
  }
  return found;
}

function idsOf(body: unknown): string[] {
  const { items } = (body ?? {}) as { items?: unknown };
  if (!Array.isArray(items)) return [];
  const ids = items.map((item: { id?: unknown; name?: unknown } | null) => item?.id ?? item?.name);
  return ids
    .filter((id) => id != null)
    .slice(0, FOLLOWED)
    .map(String);
}

const lasting = (body: unknown, baseUrl: string): unknown =>
  JSON.parse(
    JSON.stringify(body ?? null, (key, value: unknown) => (PASSING.has(key) ? undefined : value)).replaceAll(
      baseUrl,
      'http://platform',
    ),
  );
