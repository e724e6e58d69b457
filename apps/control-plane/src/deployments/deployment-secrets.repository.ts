import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { BaseRepository, SecretBox, type Transaction } from '@plinth/database';
import { DeploymentSecret } from './deployment-secret.entity';

const SECRET_BYTES = 48;

const contextOf = (deploymentId: number): string => `deployment:${deploymentId}:secret`;

@Injectable()
export class DeploymentSecretsRepository extends BaseRepository {
  constructor(@Inject(SecretBox) private readonly secrets: SecretBox) {
    super();
  }

  /** Gives a new deployment a random secret. */
  async create(tx: Transaction, tenantId: number, deploymentId: number): Promise<void> {
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const sealedSecret = this.secrets.seal(secret, contextOf(deploymentId));
    await this.managerFor(tx).insert(DeploymentSecret, { deploymentId, tenantId, sealedSecret });
  }

  /** The secret in the clear; undefined when there is no such deployment. */
  async find(tx: Transaction, deploymentId: number): Promise<string | undefined> {
    const row = await this.managerFor(tx).findOneBy(DeploymentSecret, { deploymentId });
    return row ? this.secrets.open(row.sealedSecret, contextOf(deploymentId)) : undefined;
  }
}
