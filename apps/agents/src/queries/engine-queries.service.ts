import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal } from '@plinth/auth';
import type { BodyOf, Schemas } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { requestContext } from '@plinth/observability';
import { jsonOf, problemIn, readAnswer } from './engine-answer';

type EngineRequest = BodyOf<'queryEngine'>;

/** Whoever queries, and where. */
export interface Reader {
  tenantId: number;
  /** Requests take turns by it. */
  identity: string;
  deploymentId: number;
  environment: Schemas['LocatedEnvironment'];
  securityContext: Record<string, unknown>;
}

export interface MetaMember {
  name: string;
  title?: string;
  description?: string;
  type?: string;
  aggType?: string;
  isVisible?: boolean;
}

export interface MetaCube {
  name: string;
  type?: string;
  title?: string;
  description?: string;
  isVisible?: boolean;
  measures?: MetaMember[];
  dimensions?: MetaMember[];
  segments?: MetaMember[];
}

export interface SqlResult {
  schema: { name: string; column_type: string }[];
  rows: unknown[][];
}

/** From the first request to the last answer, in milliseconds. */
const PATIENCE_MS = 50_000;
/** An engine's own answer to queries that take long, which asks for the same request again. */
const CONTINUE_WAIT = 'Continue wait';

/** Queries engines under the security context of whoever asks, and never under another one. */
@Injectable()
export class EngineQueries {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  /** @throws AppError `report.query_failed`, `report.result_too_large` (400), `service.deadline_exceeded` (504) */
  async meta(reader: Reader): Promise<MetaCube[]> {
    const { cubes = [] } = jsonOf(await this.ask(reader, 'meta', null)) as { cubes?: MetaCube[] };
    return cubes;
  }

  /** @throws as {@link meta} */
  async sql(reader: Reader, query: string): Promise<SqlResult> {
    const text = await this.ask(reader, 'cubesql', { query });
    const lines = text.split('\n').filter((line) => line !== '');
    const read = lines.map((line) => jsonOf(line) as { schema?: SqlResult['schema']; data?: unknown[][] });
    return { schema: read.flatMap(({ schema = [] }) => schema), rows: read.flatMap(({ data = [] }) => data) };
  }

  private async ask(reader: Reader, route: EngineRequest['route'], body: object | null): Promise<string> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const answer = await this.answer(reader, route, body);
      const problem = problemIn(answer);
      if (problem === undefined) return answer.text;
      if (problem !== CONTINUE_WAIT) throw new AppError('report.query_failed', problem);
      requestContext()?.signal?.throwIfAborted();
      if (Date.now() >= deadline) throw new AppError('service.deadline_exceeded', 'The query takes too long');
    }
  }

  private async answer(
    { tenantId, identity, deploymentId, environment, securityContext }: Reader,
    route: EngineRequest['route'],
    body: object | null,
  ) {
    const { environmentId, branchName, type } = environment;
    const request: EngineRequest = {
      ...{ environmentId, branchName, route, body, securityContext },
      isProduction: type === 'production',
      method: body === null ? 'GET' : 'POST',
      search: '',
      caller: identity,
    };
    const call = { principal: systemPrincipal(tenantId), path: { deploymentId }, query: {}, body: request };
    return readAnswer(await this.bus.callForStream('queryEngine', call));
  }
}
