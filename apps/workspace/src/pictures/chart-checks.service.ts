import { Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { requestContext } from '@plinth/observability';
import { DrawnPages } from './drawn-pages';

/** Tries out charts that others have made, behind the wall. */
@Injectable()
export class ChartChecks {
  constructor(private readonly pages: DrawnPages) {}

  async check({ tenantId }: Principal, { spec, columns, rows }: BodyOf<'checkChart'>): Promise<ReplyOf<'checkChart'>> {
    const chart = {
      kind: 'vega' as const,
      spec,
      columns: columns.map(({ name, type }) => ({ name, title: name, type, format: null, decimalPlaces: null })),
      rows: rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index] ?? null]))),
    };
    return { problem: await this.pages.problemOf(chart, `charts of ${tenantId}`, requestContext()?.signal) };
  }
}
