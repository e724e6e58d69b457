import { describeClientCalls } from './client-calls';
import { comparableRows } from './comparable';
import { filterCases } from './filter-cases';
import { loadCases } from './load-cases';
import { type QueryCase, selectedMembers } from './query-case';
import { type OpenShop, openShop, type ServedShop } from './open-shop';
import { describeSqlQueries } from './sql-queries';
import { timeCases } from './time-cases';

/**
 * Tests that a data API which serves the sample shop answers what PostgreSQL answers: queries through the public client, each
 * beside hand-written SQL.
 */
export function describeDataQueries(open: () => Promise<ServedShop>): void {
  describe('data queries', () => {
    let shop: OpenShop;
    beforeAll(async () => {
      shop = await openShop(await open());
    });
    afterAll(() => shop.database.close());

    async function answersAlike({ query, sql }: QueryCase): Promise<void> {
      const rows = await shop.database.rows(sql);
      const members = selectedMembers(query);
      for (const format of ['default', 'compact', 'columnar'] as const) {
        const result = await shop.api.load(query, {}, undefined, format);
        const shown = result.rawData().map((row) => members.map((member) => row[member]));
        expect({ format, rows: comparableRows(shown) }).toEqual({ format, rows });
      }
    }

    describe('rows equal those of SQL in every format', () => {
      it.each(loadCases)('$title', answersAlike);
    });
    describe('filters let through what SQL lets through', () => {
      it.each(filterCases)('$title', answersAlike);
    });
    describe('times equal those of SQL', () => {
      it.each(timeCases)('$title', answersAlike);
    });
    describeClientCalls(() => shop);
    describeSqlQueries(() => shop);
  });
}
