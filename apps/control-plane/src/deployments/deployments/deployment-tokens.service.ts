import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { DataTokens } from '../data-tokens/data-tokens.service';

const DEFAULT_LIFETIME_SECONDS = 86_400;

/** Tokens for the data API of a deployment's production environment. */
@Injectable()
export class DeploymentTokensService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly tokens: DataTokens,
  ) {}

  async create(principal: Principal, id: number, body: BodyOf<'deploymentToken'>): Promise<ReplyOf<'deploymentToken'>> {
    return this.database.mutate(principal, async (tx) => {
      const { token } = await this.tokens.issue(tx, principal, {
        deploymentId: id,
        environment: 'production',
        purpose: 'deployment',
        securityContext: null,
        scopes: [],
        lifetimeSeconds: body?.expiresIn ?? DEFAULT_LIFETIME_SECONDS,
      });
      return { cubeApiToken: token };
    });
  }
}
