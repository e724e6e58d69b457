import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { DeploymentsRepository } from '../deployments/deployments.repository';
import { deploymentNotFound } from '../secrets/deployment-errors';
import { EnvVariablesRepository } from './env-variables.repository';

/** What engines run with, for runtimes alone: secrets are in the clear. */
@Injectable()
export class EngineSettingsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly deployments: DeploymentsRepository,
    private readonly variables: EnvVariablesRepository,
  ) {}

  describe({ tenantId }: Principal, deploymentId: number): Promise<ReplyOf<'describeEngineSettings'>> {
    return this.database.transaction(tenantId, async (tx) => {
      const deployment = await this.deployments.find(tx, deploymentId);
      if (!deployment) throw deploymentNotFound();
      const { version, region } = deployment;
      const variables = await this.variables.all(tx, deploymentId);
      const parts = [version, region, ...variables.flatMap(({ name, value }) => [name, value])];
      return {
        deploymentId,
        version,
        region,
        variables: Object.fromEntries(variables.map(({ name, value }) => [name, value])),
        revision: createHash('sha256').update(JSON.stringify(parts)).digest('hex'),
      };
    });
  }
}
