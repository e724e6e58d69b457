import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal, type Principal } from '@plinth/auth';
import type { BodyOf } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { requestContext } from '@plinth/observability';
import { jsonOf, problemIn, readAnswer, type EngineAnswer } from './engine-answer';
import type { MetaCube } from './meta';
import type { EngineCaller, QueryCaller } from './query-caller';
import { MOST_ROWS, resultOfLoad, resultOfTable, tableOfSql, type Result, type SqlTable } from './query-result';

type EngineRequest = BodyOf<'queryEngine'>;

/** From the first request to the last answer; operations that run queries have a minute. */
const PATIENCE_MS = 50_000;
/** An engine's own answer to queries that take long, which asks for the same request again. */
const CONTINUE_WAIT = 'Continue wait';

/** Runs queries on the data runtime under the security context of whoever asks, and never under another one. */
@Injectable()
export class QueryRunner {
  private readonly types = new WeakMap<EngineCaller, Promise<ReadonlyMap<string, string>>>();

  constructor(@Inject(BUS) private readonly bus: Bus) {}

  /**
   * The production environment, for a principal with their own security context. An embed session reads the branch that it was made for, under the security context that it was given.
   *
   * @throws AppError `environment.not_found` (404) for a deployment or a branch that nothing serves, `embed_session.ended`
   *   (404) for a session that is over.
   */
  async callerFor(principal: Principal, deploymentId: number): Promise<QueryCaller> {
    const { tenantId, userId, embed } = principal;
    const platform = systemPrincipal(tenantId);
    const { sessionId } = embed ?? {};
    const session =
      sessionId === undefined ? null : await this.bus.ask('describeEmbedSession', platform, { sessionId });
    const branchName = session?.branchName ?? null;
    const [{ environment }, reader] = await Promise.all([
      this.bus.ask('locateEnvironment', platform, { deploymentId, branchName }),
      this.bus.ask('describeDataCaller', platform, { userId }),
    ]);
    if (!environment) throw notServed(branchName);
    const { isDownloadRestricted, isPythonEnabled } = reader;
    const { securityContext } = session ?? reader;
    const timeZone = session?.timeZone ?? reader.timeZone;
    const settings = { isDownloadRestricted, isPythonEnabled, timeZone };
    return { principal, deploymentId, environment, securityContext, ...settings };
  }

  /** @throws AppError `report.query_failed` and `report.result_too_large` (400), `service.deadline_exceeded` (504) */
  async load(caller: EngineCaller, query: object): Promise<Result> {
    return resultOfLoad(await this.ask(caller, { route: 'load', body: { query: limited(query), queryType: 'multi' } }));
  }

  /** @throws as {@link load} */
  async sql(caller: EngineCaller, query: string): Promise<Result> {
    return resultOfTable(await this.sqlTable(caller, query));
  }

  /** @throws as {@link load} */
  async sqlTable(caller: EngineCaller, query: string): Promise<SqlTable> {
    return tableOfSql(await this.ask(caller, { route: 'cubesql', body: { query } }));
  }

  /** Views and cubes that the caller sees. @throws as {@link load} */
  async meta(caller: EngineCaller): Promise<MetaCube[]> {
    const { cubes = [] } = jsonOf(await this.ask(caller, { route: 'meta', body: null })) as { cubes?: MetaCube[] };
    return cubes;
  }

  /** The query of the data API that asks the same. @throws as {@link load}, also for SQL that no such query can express. */
  async jsonOfSql(caller: EngineCaller, query: string): Promise<object> {
    const body = { input: 'sql', output: 'rest', query };
    const { query: found } = jsonOf(await this.ask(caller, { route: 'convert-query', body })) as { query?: object };
    if (found) return found;
    throw new AppError('report.query_failed', 'The query in SQL cannot take filters');
  }

  /** What the query becomes for the data source: a statement with its values. @throws as {@link load} */
  async statement(caller: EngineCaller, query: object): Promise<{ sql: string; values: unknown[] }> {
    const { sql } = jsonOf(await this.ask(caller, { route: 'sql', body: { query } })) as { sql?: { sql?: unknown[] } };
    const [statement, values] = sql?.sql ?? [];
    if (typeof statement !== 'string')
      throw new AppError('report.query_failed', 'The query becomes no single statement');
    return { sql: statement, values: Array.isArray(values) ? values : [] };
  }

  /** Types of the members that the caller sees, asked once for all queries of a request. @throws as {@link load} */
  memberTypes(caller: EngineCaller): Promise<ReadonlyMap<string, string>> {
    const known = this.types.get(caller) ?? this.askTypes(caller);
    this.types.set(caller, known);
    return known;
  }

  private async askTypes(caller: EngineCaller): Promise<ReadonlyMap<string, string>> {
    const cubes = await this.meta(caller);
    const members = cubes.flatMap(({ dimensions = [], measures = [] }) => [...dimensions, ...measures]);
    return new Map(members.map(({ name, type }) => [name, type ?? 'string']));
  }

  private async ask(caller: EngineCaller, request: Pick<EngineRequest, 'route' | 'body'>): Promise<string> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const answer = await this.answer(caller, request);
      const problem = problemIn(answer);
      if (problem === undefined) return answer.text;
      if (problem !== CONTINUE_WAIT) throw new AppError('report.query_failed', problem);
      requestContext()?.signal?.throwIfAborted();
      if (Date.now() >= deadline) throw tooSlow();
    }
  }

  private async answer(
    { principal, deploymentId, environment, securityContext, answerLimitBytes }: EngineCaller,
    { route, body }: Pick<EngineRequest, 'route' | 'body'>,
  ): Promise<EngineAnswer> {
    const { environmentId, branchName, type } = environment;
    const request: EngineRequest = {
      ...{ environmentId, branchName, route, body, securityContext },
      isProduction: type === 'production',
      method: body === null ? 'GET' : 'POST',
      search: '',
      caller: principal.credentialId,
    };
    const call = { principal: systemPrincipal(principal.tenantId), path: { deploymentId }, query: {}, body: request };
    return readAnswer(await this.bus.callForStream('queryEngine', call), answerLimitBytes);
  }
}

/** The engine's own limit is lower where a query names none. */
const limited = (query: object): object =>
  Array.isArray(query) ? query.map((each: object) => ({ limit: MOST_ROWS, ...each })) : { limit: MOST_ROWS, ...query };

const notServed = (branchName: string | null): AppError =>
  new AppError(
    'environment.not_found',
    branchName === null ? 'The deployment has no production environment' : `Nothing serves the branch ${branchName}`,
  );

const tooSlow = (): AppError =>
  new AppError('service.deadline_exceeded', `The query takes longer than ${PATIENCE_MS / 1000} seconds`);
