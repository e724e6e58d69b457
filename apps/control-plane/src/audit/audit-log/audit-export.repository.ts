import { BaseRepository, copyCsv, type Literal, type Transaction } from '@plinth/database';
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
  chunks: Buffer[];
  bytes: number;
  rows: number;
  last: ExportPosition;
  /** Whether no events follow. */
  isLast: boolean;
}

/** Texts, which are always quoted. */
const texts = {
  event: 'event',
  actorType: 'actor_type',
  actorId: 'actor_id',
  actorEmail: 'actor_email',
  ip: 'client_ip',
  deploymentName: 'deployment_name',
  requestId: 'request_id',
  attributes: 'attributes',
};

/** Columns of the export and where they come from; the contract documents their order. */
const columns = {
  id: 'id',
  timestamp: `btrim(to_json(occurred_at at time zone 'UTC')::text, '"') || 'Z'`,
  event: texts.event,
  actorType: texts.actorType,
  actorId: texts.actorId,
  actorEmail: texts.actorEmail,
  ip: texts.ip,
  deploymentId: 'deployment_id',
  deploymentName: texts.deploymentName,
  requestId: texts.requestId,
  attributes: texts.attributes,
};

/** First line of an export. */
export const csvHeader = `${Object.keys(columns).join(',')}\r\n`;

/**
 * Reads the log in batches that PostgreSQL writes as CSV.
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
    const values: Literal[] = [tenantId, lastId, limit];
    const conditions = ['tenant_id = $1', 'id <= $2'];
    const add = (value: Literal | undefined, condition: (parameter: string) => string): void => {
      if (value !== undefined) conditions.push(condition(`$${values.push(value)}`));
    };
    add(filter.start, (start) => `occurred_at >= ${start}`);
    add(filter.end, (end) => `occurred_at <= ${end}`);
    add(filter.eventName, (name) => `event = ${name}`);
    add(filter.userEmail, (email) => `lower(actor_email) = lower(${email})`);
    add(filter.search, (search) => `${document} @@ websearch_to_tsquery('simple', ${search})`);
    if (after) conditions.push(`(occurred_at, id) > ($${values.push(after.occurredAt)}, $${values.push(after.id)})`);
    const query = `select ${selected} from audit_event where ${conditions.join(' and ')}
      order by occurred_at, id limit $3`;
    const { chunks, rows, last } = await copyCsv(tx, query, values, quoted);
    if (rows === 0) return undefined;
    const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
    return { chunks: chunks.map(harmless), bytes, rows, last: positionOf(last), isLast: rows < limit };
  }
}

/** The expression of the full-text index. */
const document = 'audit_document(event, actor_email, client_ip, deployment_name, request_id, attributes)';

const selected = Object.entries(columns)
  .map(([name, source]) => `${source} as "${name}"`)
  .join(', ');
const quoted = Object.keys(texts).map((name) => `"${name}"`);

/**
 * A text that a spreadsheet would take for a formula. A quote inside a text is doubled, so a comma, one quote and one of
 * these characters can only be the beginning of a text, or the end of a line whose last text ends with a comma: the last
 * column is a JSON object, which ends with a brace.
 */
const FORMULA = /,"(?=[=+\-@\t\r])/g;

/** The lines with a `'` in front of every formula. Latin-1 keeps each byte as it is. */
function harmless(csv: Buffer): Buffer {
  const text = csv.toString('latin1');
  return text.search(FORMULA) < 0 ? csv : Buffer.from(text.replace(FORMULA, `,"'`), 'latin1');
}

/** The first two columns of a line, neither of which holds a comma. */
function positionOf(line: Buffer): ExportPosition {
  const [id, timestamp = ''] = line.toString('latin1', 0, LONGEST_POSITION).split(',', 2);
  return { id: Number(id), occurredAt: new Date(timestamp) };
}

const LONGEST_POSITION = 64;
