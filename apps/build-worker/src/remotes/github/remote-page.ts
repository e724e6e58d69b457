import { keysetList, type Filters, type Page } from '@plinth/database';
import { REMOTE_PAGE, type RemotePage } from './github-client';

/**
 * A page of a list at GitHub, which counts pages of a fixed size, under the platform's cursors: a cursor is the number
 * of rows before it. At most six pages are fetched.
 */
export async function remotePage<Row>(
  list: { name: string; filters: Filters; fetch: (page: number) => Promise<RemotePage<Row>> },
  query: { first?: number; after?: string },
): Promise<Page<Row>> {
  const page = await keysetList(query, {
    name: list.name,
    filters: list.filters,
    positionOf: ({ position }: { position: number }) => [position],
    read: async (limit, [start = 0]) => {
      const rows = await rowsFrom(start, limit, list.fetch);
      return rows.map((row, index) => ({ row, position: start + index + 1 }));
    },
  });
  return { items: page.items.map(({ row }) => row), pageInfo: page.pageInfo };
}

async function rowsFrom<Row>(
  start: number,
  count: number,
  fetch: (page: number) => Promise<RemotePage<Row>>,
): Promise<Row[]> {
  const rows: Row[] = [];
  const firstPage = Math.floor(start / REMOTE_PAGE);
  const skip = start - firstPage * REMOTE_PAGE;
  for (let page = firstPage + 1; rows.length < skip + count; page++) {
    const part = await fetch(page);
    rows.push(...part.rows);
    if (!part.hasNext) break;
  }
  return rows.slice(skip, skip + count);
}
