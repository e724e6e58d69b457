import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { BaseRepository, SecretBox, type Database, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { DeploymentSecret } from './deployment-secret.entity';

const SECRET_BYTES = 48;
/** Beside the one that signs; so many are looked through for each token that is verified. */
const MOST_PREVIOUS = 4;

/** A secret of a deployment, by the number that its tokens name. */
export interface NumberedSecret {
  version: number;
  secret: string;
}

/** A secret whose tokens work; `validForMs` is null for the one that signs. */
export interface LiveSecret extends NumberedSecret {
  validForMs: number | null;
}

export interface Rotation {
  rotatedAt: Date;
  /** When the last of the secrets before ends; null when none works any more. */
  previousExpireAt: Date | null;
}

interface SealedSecret {
  version: number;
  sealedSecret: string;
}

const contextOf = (deploymentId: number): string => `deployment:${deploymentId}:secret`;

@Injectable()
export class DeploymentSecretsRepository extends BaseRepository {
  constructor(@Inject(SecretBox) private readonly secrets: SecretBox) {
    super();
  }

  /** Gives a new deployment a random secret. */
  async create(tx: Transaction, tenantId: number, deploymentId: number): Promise<void> {
    const sealedSecret = this.sealedNew(deploymentId);
    await this.managerFor(tx).insert(DeploymentSecret, { deploymentId, tenantId, sealedSecret, version: 1 });
  }

  /** The secret that signs, in the clear; undefined when there is no such deployment. */
  async find(tx: Transaction, deploymentId: number): Promise<NumberedSecret | undefined> {
    const row = await this.managerFor(tx).findOneBy(DeploymentSecret, { deploymentId });
    return row ? this.opened(deploymentId, row) : undefined;
  }

  /** Every secret whose tokens work; none when there is no such deployment. */
  async findLive(database: Database, tenantId: number, deploymentId: number): Promise<LiveSecret[]> {
    const rows = await database.read<SealedSecret & { validForMs: number | null }>(
      tenantId,
      {
        name: 'live-deployment-secrets',
        text: `select version, sealed_secret as "sealedSecret", null::float as "validForMs"
               from deployment_secret where deployment_id = $1
               union all
               select version, sealed_secret, floor(extract(epoch from expires_at - now()) * 1000)::float
               from previous_deployment_secret where deployment_id = $1 and expires_at > now()`,
      },
      [deploymentId],
    );
    return rows.map((row) => ({ ...this.opened(deploymentId, row), validForMs: row.validForMs }));
  }

  /**
   * Replaces the secret; those of before work for the grace period at most. Rotations of a deployment take turns.
   * Undefined when there is no such deployment.
   *
   * @throws AppError `deployment.too_many_secrets` (409).
   */
  async rotate(tx: Transaction, deploymentId: number, graceSeconds: number): Promise<Rotation | undefined> {
    const manager = this.managerFor(tx);
    const lock = { mode: 'for_no_key_update' } as const;
    const current = await manager.findOne(DeploymentSecret, { where: { deploymentId }, lock });
    if (!current) return undefined;
    await this.retire(tx, current, graceSeconds);
    const next = { sealedSecret: this.sealedNew(deploymentId), version: current.version + 1 };
    await manager.update(DeploymentSecret, { deploymentId }, next);
    const [rotation] = await manager.query<Rotation[]>(
      `select now() as "rotatedAt", max(expires_at) as "previousExpireAt"
       from previous_deployment_secret where deployment_id = $1`,
      [deploymentId],
    );
    return rotation;
  }

  /** Keeps the secret for as long as its tokens shall work, and shortens the time of those before it. */
  private async retire(tx: Transaction, current: DeploymentSecret, graceSeconds: number): Promise<void> {
    const { deploymentId, tenantId, version, sealedSecret } = current;
    const manager = this.managerFor(tx);
    await manager.query(
      `delete from previous_deployment_secret where deployment_id = $1 and ($2 = 0 or expires_at <= now())`,
      [deploymentId, graceSeconds],
    );
    if (graceSeconds === 0) return;
    await manager.query(
      `update previous_deployment_secret set expires_at = least(expires_at, now() + make_interval(secs => $2))
       where deployment_id = $1`,
      [deploymentId, graceSeconds],
    );
    const earlier = await manager.query<unknown[]>(
      'select version from previous_deployment_secret where deployment_id = $1',
      [deploymentId],
    );
    if (earlier.length >= MOST_PREVIOUS) throw tooManySecrets();
    await manager.query(
      `insert into previous_deployment_secret (deployment_id, version, tenant_id, sealed_secret, expires_at)
       values ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
      [deploymentId, version, tenantId, sealedSecret, graceSeconds],
    );
  }

  private sealedNew(deploymentId: number): string {
    return this.secrets.seal(randomBytes(SECRET_BYTES).toString('base64url'), contextOf(deploymentId));
  }

  private opened(deploymentId: number, { version, sealedSecret }: SealedSecret): NumberedSecret {
    return { version, secret: this.secrets.open(sealedSecret, contextOf(deploymentId)) };
  }
}

const tooManySecrets = (): AppError =>
  new AppError(
    'deployment.too_many_secrets',
    `${MOST_PREVIOUS} earlier secrets are still valid: wait, or rotate with graceSeconds 0, which ends them`,
  );
