import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal, type Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { BUS, CONFIG } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { tokenPaths, type TokenFile } from '../engines';
import { whileInFiles } from '../engines/process/token-folder';
import type { RuntimeConfig } from '../runtime.config';
import { probe } from './probe-process';

/** From the start of the process to the last answer. */
const DEADLINE_MS = 15_000;
/** Of one connection: what is left is for a busy machine to start the process. */
const CONNECTION_MS = 10_000;
/** Tests of one tenant that run on one runtime at the same time, and those of all. */
const MOST_OF_TENANT = 2;
const MOST = 6;
const RETRY_AFTER_S = 5;
const MASK = '[ENCRYPTED]';

/** Tells whether the data sources of a deployment can be reached. Credentials go to the testing process and nowhere else. */
@Injectable()
export class DataSourcesService {
  private readonly running: number[] = [];

  constructor(
    @Inject(BUS) private readonly bus: Bus,
    @Inject(CONFIG) private readonly config: RuntimeConfig,
    @Inject(Database) private readonly database: Database,
  ) {}

  /**
   * @throws AppError `deployment.not_found` (404), `request.rate_limited` (429), `engine.unavailable` (503) when the test
   *   did not come to an end
   */
  async test(
    principal: Principal,
    deploymentId: number,
    body: BodyOf<'testDataSources'>,
  ): Promise<ReplyOf<'testDataSources'>> {
    const { tenantId } = principal;
    const saved = await this.bus.ask('describeEngineSettings', systemPrincipal(tenantId), { deploymentId });
    const given = (body?.env_variables ?? []).filter(({ value }) => value !== MASK);
    const variables = { ...saved.variables, ...Object.fromEntries(given.map(({ name, value }) => [name, value])) };
    const { tokenVariables } = saved;
    const items = await this.inTurn(tenantId, async () => {
      const tokens = Object.keys(tokenVariables).length > 0 ? await this.mint(tenantId, deploymentId) : [];
      return whileInFiles(tokens, (folder) => this.probe(variables, tokenPaths({ variables, tokenVariables }, folder)));
    });
    // Leaves the line in the audit log.
    return this.database.mutate(principal, async () => ({ items }));
  }

  private async mint(tenantId: number, deploymentId: number): Promise<readonly TokenFile[]> {
    return (await this.bus.ask('mintEngineTokens', systemPrincipal(tenantId), { deploymentId })).items;
  }

  private async probe(
    variables: Readonly<Record<string, string>>,
    paths: Readonly<Record<string, string>>,
  ): Promise<ReplyOf<'testDataSources'>['items']> {
    const privateAddresses = this.config.enginePrivateAddresses;
    const order = { kind: 'probe', variables, tokenPaths: paths, privateAddresses, timeoutMs: CONNECTION_MS } as const;
    const sources = await probe(order, DEADLINE_MS);
    if (sources) return [...sources];
    throw new AppError('engine.unavailable', 'The test of the data sources did not come to an end', {
      retryAfterSeconds: RETRY_AFTER_S,
    });
  }

  private async inTurn<T>(tenantId: number, work: () => Promise<T>): Promise<T> {
    const own = this.running.filter((each) => each === tenantId).length;
    if (own >= MOST_OF_TENANT || this.running.length >= MOST) {
      throw new AppError('request.rate_limited', 'Too many data sources are tested at the moment', {
        retryAfterSeconds: RETRY_AFTER_S,
      });
    }
    this.running.push(tenantId);
    try {
      return await work();
    } finally {
      this.running.splice(this.running.indexOf(tenantId), 1);
    }
  }
}
