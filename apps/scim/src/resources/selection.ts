import { AppError } from '@plinth/errors';
import { LIST_RESPONSE, parseFilter, resolvePath, type ResourceKind } from '@plinth/scim-protocol';
import { windowOf } from '../paging';

export interface ListQuery {
  filter?: string | null;
  startIndex?: number | null;
  count?: number | null;
  sortBy?: string | null;
  sortOrder?: 'ascending' | 'descending' | null;
}

/** What the control plane is asked for, and where the list begins. */
export function selectionOf(kind: ResourceKind, query: ListQuery) {
  const { startIndex, limit } = windowOf(query.startIndex, query.count);
  const filter = typeof query.filter === 'string' ? parseFilter(kind, query.filter) : undefined;
  const sortBy = query.sortBy ? resolvePath(kind, query.sortBy)?.path : undefined;
  const body = {
    offset: startIndex - 1,
    limit,
    ...(filter && { filter: { ...filter } }),
    ...(sortBy && { sortBy: { ...sortBy }, descending: query.sortOrder === 'descending' }),
  };
  return { startIndex, body };
}

export const listOf = <Item>(total: number, startIndex: number, items: Item[]) => ({
  schemas: [LIST_RESPONSE],
  totalResults: total,
  startIndex,
  itemsPerPage: items.length,
  Resources: items,
});

/** @throws AppError (404) for an id that this service never gave out. */
export function idOf(text: string, code: 'user.not_found' | 'user_group.not_found'): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new AppError(code, code === 'user.not_found' ? 'There is no such user' : 'There is no such group');
}

/** What a resource says of itself (RFC 7643, section 3.1). */
export const metaOf = (
  resourceType: ResourceKind,
  location: string,
  { created, lastModified, version }: { created: string; lastModified: string; version: string },
) => ({ resourceType, created, lastModified, location, version });
