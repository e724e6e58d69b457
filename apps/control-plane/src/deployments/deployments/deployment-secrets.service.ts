import { Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { AccessChanges } from '../../kernel';
import { EnvironmentTokensRepository } from '../data-tokens/environment-tokens.repository';
import { deploymentNotFound } from '../secrets/deployment-errors';
import { DeploymentSecretsRepository } from '../secrets/deployment-secrets.repository';

/** The secrets that sign a deployment's tokens. */
@Injectable()
export class DeploymentSecretsService {
  constructor(
    private readonly changes: AccessChanges,
    private readonly secrets: DeploymentSecretsRepository,
    private readonly tokens: EnvironmentTokensRepository,
  ) {}

  /** Ends the tokens that are out, at once or after the grace period; everybody who remembers them is told. */
  async rotate(
    principal: Principal,
    id: number,
    body: BodyOf<'rotateDeploymentSecret'>,
  ): Promise<ReplyOf<'rotateDeploymentSecret'>> {
    return this.changes.mutate(principal, async (tx) => {
      const rotation = await this.secrets.rotate(tx, id, body?.graceSeconds ?? 0);
      if (!rotation) throw deploymentNotFound();
      const { rotatedAt, previousExpireAt } = rotation;
      await this.tokens.endBy(tx, id, previousExpireAt ?? rotatedAt);
      return {
        rotatedAt: rotatedAt.toISOString(),
        previousTokensExpireAt: previousExpireAt?.toISOString() ?? null,
      };
    });
  }
}
