import { Inject, Injectable } from '@nestjs/common';
import { requireAccess, type Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { signToken } from '../environments/token-signer';
import { deploymentNotFound } from './deployment-access';
import { DeploymentSecretsRepository } from './deployment-secrets.repository';

const DEFAULT_LIFETIME_SECONDS = 86_400;

/** Tokens for the data API of a deployment's production environment. */
@Injectable()
export class DeploymentTokensService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly secrets: DeploymentSecretsRepository,
  ) {}

  async create(principal: Principal, id: number, body: BodyOf<'deploymentToken'>): Promise<ReplyOf<'deploymentToken'>> {
    requireAccess(principal, 'DeploymentUpdate', id);
    return this.database.mutate(principal, async (tx) => {
      const secret = await this.secrets.find(tx, id);
      if (secret === undefined) throw deploymentNotFound();
      const { token } = await signToken(secret, {}, body?.expiresIn ?? DEFAULT_LIFETIME_SECONDS);
      return { cubeApiToken: token };
    });
  }
}
