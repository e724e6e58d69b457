import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import { Database, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { CONFIG } from '@plinth/host';
import { requestContext } from '@plinth/observability';
import type { BuildWorkerConfig } from '../../build-worker.config';
import { RepositoriesRepository } from '../repositories/repositories.repository';
import { Turns } from './turns';

/**
 * The line in which whatever changes a data model waits, before it takes a database connection. Each credential
 * has its turn at a deployment, whether others have one change or hundreds.
 */
@Injectable()
export class WriteTurns {
  private readonly turns: Turns;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(CONFIG) { databasePoolSize }: Pick<BuildWorkerConfig, 'databasePoolSize'>,
    private readonly repositories: RepositoriesRepository,
  ) {
    this.turns = new Turns(Math.max(1, Math.floor(databasePoolSize / 2)));
  }

  /**
   * @throws AppError `request.rate_limited` (429) when too many changes of the caller wait,
   *   `service.deadline_exceeded` (504) when the caller's time was up before his turn; nothing has happened then;
   *   `deployment.not_found` (404) when the work failed because the data model was removed meanwhile
   */
  async run<T>({ tenantId, credentialId }: Principal, deploymentId: number, work: () => Promise<T>): Promise<T> {
    const key = `${tenantId}/${deploymentId}`;
    try {
      return await this.turns.run({ key, caller: credentialId, signal: requestContext()?.signal }, work);
    } catch (error) {
      if (error instanceof AppError || (await this.repositories.find(this.database, tenantId, deploymentId)))
        throw error;
      throw new AppError('deployment.not_found', 'There is no such deployment', { cause: error });
    }
  }

  /** A mutation of the rows that go with references, in its turn; see {@link run} and `Database.mutate`. */
  mutate<T>(principal: Principal, deploymentId: number, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.run(principal, deploymentId, () => this.database.mutate(principal, work));
  }
}
