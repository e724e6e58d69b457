import type { PlinthClient } from './create-client';
import type { paths } from './generated/api';
import { unwrap } from './plinth-error';

type GetOf<Path extends keyof paths> = paths[Path] extends { get: infer Get } ? Get : never;
type ReplyOf<Path extends keyof paths> =
  GetOf<Path> extends { responses: { 200: { content: { 'application/json': infer Reply } } } } ? Reply : never;

/** What a list at that path holds; never for paths that are no list with cursors. */
export type ItemOf<Path extends keyof paths> =
  ReplyOf<Path> extends { items: readonly (infer Item)[]; pageInfo: unknown } ? Item : never;

/** Paths of lists with cursors. */
export type ListPath = { [Path in keyof paths]: [ItemOf<Path>] extends [never] ? never : Path }[keyof paths];

/** Parameters of the list, without those of the page. */
type ParametersOf<Path extends keyof paths> =
  GetOf<Path> extends { parameters: { path?: infer InPath; query?: infer Query } }
    ? { path?: InPath; query?: Partial<Query> }
    : never;

interface Page {
  items: readonly unknown[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** The client's GET without its types, which cannot follow a path that is not known yet. */
type AnyGet = (
  path: string,
  options: object,
) => Promise<{ data?: Page; error?: unknown; response: { status: number; ok: boolean } }>;

/**
 * Every item of a list, page by page as they are needed.
 *
 * @throws PlinthError when a page is refused.
 */
export async function* listItems<Path extends ListPath>(
  client: PlinthClient,
  path: Path,
  parameters: ParametersOf<Path> = {} as ParametersOf<Path>,
): AsyncGenerator<ItemOf<Path>> {
  const get = client.GET as unknown as AnyGet;
  let after: string | null = null;
  do {
    const query: object = { first: 100, ...parameters.query, ...(after !== null && { after }) };
    const page: Page = await unwrap(get(path, { params: { ...parameters, query } }) as Promise<never>);
    yield* page.items as readonly ItemOf<Path>[];
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  } while (after !== null);
}
