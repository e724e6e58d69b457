import { randomUUID } from 'node:crypto';
import { type Writable } from 'node:stream';
import { type GatewayCall, type GatewayFunctions } from './gateway-functions';
import { type SqlResult, writeRows } from './json-lines';
import { SqlRefusal } from './refusal';
import { type RestQuery, translate, type Translation } from './translate';

/** How a statement is to be run. */
export interface SqlOptions {
  securityContext?: unknown;
  cacheMode?: string | undefined;
  /** UTC, when there is none. */
  timezone?: string | undefined;
  /** Whether the caller asks again itself when a result takes longer. */
  throwContinueWait?: boolean | undefined;
  requestId?: string | undefined;
}

/** The SQL of a statement at the source, or why there is none. */
export type SourceSql =
  | { status: 'ok'; sql: [text: string, values: (string | null)[]]; query_type: 'regular' }
  | { status: 'error'; error: string; query_type: 'post_processing' };

/** The REST query of a statement, or why there is none. */
export type ConvertedQuery = { status: 'ok'; query: RestQuery } | { status: 'error'; error: string };

const CONTINUE_WAIT = 'Continue wait';

/** SQL over the data model, answered by the gateway's own functions. */
export class SqlInterface {
  readonly __typename = 'sqlinterfaceinstance';

  /** @throws Error when a port for the PostgreSQL protocol is asked for. */
  constructor(private readonly gateway: GatewayFunctions) {
    if (gateway.pgPort !== undefined)
      throw new Error('The PostgreSQL protocol needs the native module of Cube, which is not installed');
  }

  /** Writes lines of JSON: the columns, then the rows, or the error. It ends the stream and rejects only when logging fails. */
  async run(text: string, stream: Writable, options: SqlOptions): Promise<void> {
    const call = callOf(options);
    const started = Date.now();
    try {
      await this.log(call, 'Load Request', { query: { sql: text } });
      const { query, columns } = await this.translate(text, call, options.timezone);
      const result = await this.load({ ...call, query, queryKey: { sql: text } }, stream, options);
      await writeRows(stream, columns, result);
      stream.end();
      await this.log(call, 'Load Request Success', { ...ended(text, started), isDataQuery: true });
    } catch (error) {
      const message = messageOf(error);
      stream.end(`${JSON.stringify({ error: message, requestId: options.requestId })}\n`);
      if (message !== CONTINUE_WAIT)
        await this.log(call, 'Cube SQL Error', { ...ended(text, started), error: message });
    }
  }

  /** The SQL that the source would get. Parameters are numbered, as PostgreSQL has them. */
  async sourceSql(text: string, options: SqlOptions): Promise<SourceSql> {
    const call = callOf(options);
    try {
      const { query } = await this.translate(text, call, options.timezone);
      const answer = await this.gateway.sql({ ...call, query, memberToAlias: {}, expressionParams: [] });
      const [annotated, values] = answer.sql.sql;
      const sql = annotated.replace(/\$(\d+)\$/g, (_, index: string) => `$${Number(index) + 1}`);
      return { status: 'ok', sql: [sql, values], query_type: 'regular' };
    } catch (error) {
      return { status: 'error', error: refusalIn(error), query_type: 'post_processing' };
    }
  }

  async restQuery(text: string, options: SqlOptions): Promise<ConvertedQuery> {
    try {
      return { status: 'ok', query: (await this.translate(text, callOf(options), options.timezone)).query };
    } catch (error) {
      return { status: 'error', error: refusalIn(error) };
    }
  }

  private async translate(text: string, call: GatewayCall, timezone = 'UTC'): Promise<Translation> {
    const { cubes } = await this.gateway.meta(call);
    return translate(text, cubes, { now: new Date(), timezone });
  }

  /** A result that takes longer is asked for again, as long as somebody waits for it. */
  private async load(
    call: GatewayCall & { query: RestQuery; queryKey: object },
    stream: Writable,
    { cacheMode = 'stale-if-slow', throwContinueWait = false }: SqlOptions,
  ): Promise<SqlResult> {
    for (;;) {
      try {
        const loaded = await this.gateway.sqlApiLoad({ ...call, streaming: false, cacheMode });
        const [[request], [rows], [head]] = await loaded.getFinalResult();
        if (request === undefined || rows === undefined || head === undefined)
          throw new Error('The gateway gave no result');
        return { request, rows, head };
      } catch (error) {
        if (messageOf(error) !== CONTINUE_WAIT || throwContinueWait || stream.destroyed) throw error;
      }
    }
  }

  private log(call: GatewayCall, event: string, properties: object): Promise<void> {
    return this.gateway.logLoadEvent({ ...call, event, properties: { apiType: 'sql', ...properties } });
  }
}

const callOf = ({ requestId, securityContext }: SqlOptions): GatewayCall => ({
  request: { id: requestId ?? randomUUID(), meta: { protocol: 'http', apiType: 'sql' } },
  session: { user: null, superuser: false, securityContext },
});

const ended = (text: string, started: number): object => ({ query: { sql: text }, duration: Date.now() - started });

/** The gateway rejects with bare objects. */
function messageOf(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
  return String(message);
}

/** What is wrong with the statement; whatever else went wrong is thrown on. */
function refusalIn(error: unknown): string {
  if (error instanceof SqlRefusal) return error.message;
  throw error;
}
