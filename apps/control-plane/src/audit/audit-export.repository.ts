import { BaseRepository, type Transaction } from '@plinth/database';
import type { Period } from './audit-period';

/** Which events to export. */
export interface ExportFilter extends Period {
  /** As `websearch_to_tsquery` reads it. */
  search: string | undefined;
  eventName: string | undefined;
  userEmail: string | undefined;
}

/** Behind which event a batch begins. */
export interface ExportPosition {
  occurredAt: Date;
  id: number;
}

/** Some events as CSV lines, each ended by CRLF. */
export interface ExportBatch {
  csv: string;
  rows: number;
  last: ExportPosition;
}

interface BatchRow {
  csv: string | null;
  rows: number;
  occurredAt: Date;
  id: number;
}

/** Columns of the export and how PostgreSQL writes each of them; the contract documents their order. */
const columns: readonly (readonly [name: string, csv: string])[] = [
  ['id', 'id'],
  ['timestamp', `to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`],
  ['event', cell('event')],
  ['actorType', cell('actor_type')],
  ['actorId', cell('actor_id')],
  ['actorEmail', cell('actor_email')],
  ['ip', cell('client_ip')],
  ['deploymentId', `coalesce(deployment_id::text, '')`],
  ['deploymentName', cell('deployment_name')],
  ['requestId', cell('request_id')],
  ['attributes', cell('attributes::text')],
];

/** Text between quotes; nothing for null. A text that a spreadsheet would take for a formula gets a quote in front. */
function cell(column: string): string {
  const harmless = `case when ${column} ~ '^[=+@\\t\\r-]' then '''' || ${column} else ${column} end`;
  return `coalesce('"' || replace(${harmless}, '"', '""') || '"', '')`;
}

/** First line of an export. */
export const csvHeader = `${columns.map(([name]) => name).join(',')}\r\n`;

const csvLine = `${columns.map(([, csv]) => csv).join(` || ',' || `)} || E'\\r\\n'`;

/**
 * Reads the log in batches that PostgreSQL writes as CSV: a text for thousands of rows costs a fraction of as many rows.
 *
 * Runs as the system, with the tenant in every condition: under row-level security PostgreSQL does not use the
 * full-text index, because its operator is not leakproof.
 */
export class AuditExportRepository extends BaseRepository {
  /** Id of the newest event; 0 without one. */
  async lastId(tx: Transaction, tenantId: number): Promise<number> {
    const [chain] = await this.managerFor(tx).query<{ length: number }[]>(
      'select length from audit_chain where tenant_id = $1',
      [tenantId],
    );
    return chain?.length ?? 0;
  }

  /** The next events up to `lastId` in the order of time; undefined after the last one. */
  async findBatch(
    tx: Transaction,
    tenantId: number,
    filter: ExportFilter,
    { lastId, after, limit }: { lastId: number; after: ExportPosition | undefined; limit: number },
  ): Promise<ExportBatch | undefined> {
    const values: unknown[] = [tenantId, lastId, limit];
    const conditions = ['tenant_id = $1', 'id <= $2'];
    const add = (value: unknown, condition: (parameter: string) => string): void => {
      if (value !== undefined) conditions.push(condition(`$${values.push(value)}`));
    };
    add(filter.start, (start) => `occurred_at >= ${start}`);
    add(filter.end, (end) => `occurred_at <= ${end}`);
    add(filter.eventName, (name) => `event = ${name}`);
    add(filter.userEmail, (email) => `lower(actor_email) = lower(${email})`);
    add(filter.search, (search) => `${document} @@ websearch_to_tsquery('simple', ${search})`);
    if (after) conditions.push(`(occurred_at, id) > ($${values.push(after.occurredAt)}, $${values.push(after.id)})`);
    const [batch] = await this.managerFor(tx).query<BatchRow[]>(
      `select string_agg(csv, '') as csv, count(*) as rows, max(occurred_at) as "occurredAt",
         (array_agg(id))[count(*)] as id
       from (
         select id, occurred_at, ${csvLine} as csv from audit_event
         where ${conditions.join(' and ')} order by occurred_at, id limit $3
       ) as batch`,
      values,
    );
    if (!batch || batch.csv === null) return undefined;
    const { csv, rows, occurredAt, id } = batch;
    return { csv, rows, last: { occurredAt, id } };
  }
}

/** The expression of the full-text index. */
const document = 'audit_document(event, actor_email, client_ip, deployment_name, request_id, attributes)';
