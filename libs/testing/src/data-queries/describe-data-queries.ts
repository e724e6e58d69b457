import { describeClientCalls } from './client-calls';
import { comparableRows } from './comparable';
import { filterCases } from './filter-cases';
import { loadCases } from './load-cases';
import { type QueryCase, selectedMembers } from './query-case';
import { type OpenShop, openShop, type ServedShop } from './open-shop';
import { sqlCases } from './sql-cases';
import { describeSqlQueries } from './sql-queries';
import { timeCases } from './time-cases';

/**
 * Tests that a data API which serves the sample shop answers what PostgreSQL answers: queries through the public client, each
 * beside hand-written SQL.
 *
 * @param everyCase false for what stands before an engine and passes its answers on: of cases that the engine alone could
 * tell apart, the first of each kind will do
 */
export function describeDataQueries(open: () => Promise<ServedShop>, everyCase = true): void {
  const some = <Case>(cases: readonly Case[]): readonly Case[] => (everyCase ? cases : cases.slice(0, 1));
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
      it.each(some(loadCases))('$title', answersAlike);
    });
    describe('filters let through what SQL lets through', () => {
      it.each(some(filterCases))('$title', answersAlike);
    });
    describe('times equal those of SQL', () => {
      it.each(some(timeCases))('$title', answersAlike);
    });
    describeClientCalls(() => shop);
    describeSqlQueries(() => shop, some(sqlCases));
  });
}
