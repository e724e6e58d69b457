import { BaseRepository, type Database, type Transaction } from '@plinth/database';
import type { EngineLogLine } from './engine-log-line.entity';

export type NewLogLine = Omit<EngineLogLine, 'id'>;

/** What a reader asks for; undefined restricts nothing. */
export interface LogFilter {
  environmentIds: readonly number[];
  pod: string | undefined;
  container: string | undefined;
}

/** Bytes that the lines of one environment may have together. */
export const KEPT_BYTES = 10_000_000;

export class EngineLogRepository extends BaseRepository {
  /** Rows of several tenants in one statement: the transaction is across tenants. */
  async insert(tx: Transaction, lines: readonly NewLogLine[]): Promise<void> {
    const column = (name: keyof NewLogLine): unknown[] => lines.map((line) => line[name]);
    await this.managerFor(tx).query(
      `insert into engine_log_line
         (tenant_id, deployment_id, environment_id, pod, container, message, logged_at)
       select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])`,
      [
        column('tenantId'),
        column('deploymentId'),
        column('environmentId'),
        column('pod'),
        column('container'),
        column('message'),
        column('loggedAt'),
      ],
    );
  }

  /** Deletes the oldest lines of the environment beyond what is kept. */
  async trim(tx: Transaction, environmentId: number): Promise<void> {
    await this.managerFor(tx).query(
      `delete from engine_log_line where environment_id = $1 and id <= (
         select id from (
           select id, sum(octet_length(message)) over (order by id desc) as bytes
           from engine_log_line where environment_id = $1
         ) newest where bytes > ${KEPT_BYTES} order by id desc limit 1)`,
      [environmentId],
    );
  }

  /** Oldest first, those after `afterId` when it is given. Never older than a day, whenever housekeeping was here. */
  list(
    database: Database,
    tenantId: number,
    { environmentIds, pod, container }: LogFilter,
    limit: number,
    afterId = 0,
  ): Promise<EngineLogLine[]> {
    return database.read<EngineLogLine>(
      tenantId,
      {
        name: 'lines-of-engines',
        text: `select id, pod, container, message, logged_at as "loggedAt" from engine_log_line
               where environment_id = any($1::bigint[]) and id > $2
                 and ($3::text is null or pod = $3) and ($4::text is null or container = $4)
                 and logged_at >= now() - interval '24 hours'
               order by id limit $5`,
      },
      [environmentIds, afterId, pod ?? null, container ?? null, limit],
    );
  }
}
