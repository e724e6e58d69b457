import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal } from '@plinth/auth';
import type { BodyOf } from '@plinth/contract';
import { BUS, LOGGER } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import type { Logger } from '@plinth/observability';
import { harmlessSpec } from './vega-spec';

type ChartCheck = BodyOf<'checkChart'>;

interface Result {
  schema: readonly { name: string; column_type?: string }[];
  rows: readonly unknown[][];
}

/** Enough to see whether a chart fits its columns. */
const MOST_ROWS = 50;
const MOST_COLUMNS = 100;
const MOST_CELL = 100;

/** Looks at charts that models write, before anybody gets them. */
@Injectable()
export class Charts {
  constructor(
    @Inject(BUS) private readonly bus: Bus,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** The chart, or null where it is none, cannot be drawn, would load something, or cannot be tried out. */
  async checked(tenantId: number, given: unknown, result: Result): Promise<object | null> {
    const spec = harmlessSpec(given);
    if (spec === null) return null;
    try {
      const { problem } = await this.bus.ask('checkChart', systemPrincipal(tenantId), { spec, ...partOf(result) });
      return problem === null ? spec : null;
    } catch (error) {
      // An answer without a chart is better than none.
      this.logger.warn({ err: error }, 'a chart could not be tried out');
      return null;
    }
  }
}

const partOf = ({ schema, rows }: Result): Pick<ChartCheck, 'columns' | 'rows'> => ({
  columns: schema.slice(0, MOST_COLUMNS).map(({ name, column_type }) => ({ name, type: typeOf(column_type) })),
  rows: rows.slice(0, MOST_ROWS).map((row) => row.slice(0, MOST_COLUMNS).map(shortCell)),
});

const shortCell = (value: unknown): unknown => (typeof value === 'string' ? value.slice(0, MOST_CELL) : value);

/** Names of types as engines have them. */
function typeOf(columnType = ''): ChartCheck['columns'][number]['type'] {
  if (/int|float|double|decimal|numeric|number/i.test(columnType)) return 'number';
  if (/time|date/i.test(columnType)) return 'time';
  return /bool/i.test(columnType) ? 'boolean' : 'string';
}
