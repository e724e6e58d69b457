import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { ReplyOf } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { deploymentNotFound, DeploymentsRepository, EnvVariablesRepository } from '../../deployments';
import { TenantSettingsRepository } from '../../tenancy';
import { tokenFileOf } from '../oidc-token-configs/oidc-token-config.entity';
import { OidcTokenConfigsRepository } from '../oidc-token-configs/oidc-token-configs.repository';

/** What engines run with, for runtimes alone: secrets are in the clear. */
@Injectable()
export class EngineSettingsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly deployments: DeploymentsRepository,
    private readonly variables: EnvVariablesRepository,
    private readonly settings: TenantSettingsRepository,
    private readonly configs: OidcTokenConfigsRepository,
  ) {}

  describe({ tenantId }: Principal, deploymentId: number): Promise<ReplyOf<'describeEngineSettings'>> {
    return this.database.transaction(tenantId, async (tx) => {
      const deployment = await this.deployments.find(tx, deploymentId);
      if (!deployment) throw deploymentNotFound();
      const { version, region } = deployment;
      const variables = await this.variables.all(tx, deploymentId);
      const tokenVariables = await this.targets(tx, tenantId);
      const parts = [version, region, ...variables.flatMap(({ name, value }) => [name, value]), tokenVariables];
      return {
        deploymentId,
        version,
        region,
        variables: Object.fromEntries(variables.map(({ name, value }) => [name, value])),
        tokenVariables,
        revision: createHash('sha256').update(JSON.stringify(parts)).digest('hex'),
      };
    });
  }

  /** Of configs that name the same variable, the first one made has it. */
  private async targets(tx: Transaction, tenantId: number): Promise<Record<string, string>> {
    const { oidcEnabled } = await this.settings.find(tx, tenantId);
    const configs = oidcEnabled ? await this.configs.listEnabled(tx) : [];
    const targets = configs.flatMap(({ name, targetEnvVar }) =>
      targetEnvVar === null ? [] : [[targetEnvVar, tokenFileOf(name)] as const],
    );
    return Object.fromEntries(targets.reverse());
  }
}
