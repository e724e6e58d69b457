import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { advisoryLockId, BaseRepository, SecretBox, type Database, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';

const SECRET_BYTES = 48;
/** Beside the one that signs; so many are looked through for each token that is verified. */
const MOST_PREVIOUS = 4;

/** A secret of an account, by the number that its tokens name. */
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

/** As it is kept. */
export interface SealedSecret {
  version: number;
  sealedSecret: string;
}

/** The secret that signs, of the tenant `$1`. */
export const signing = `select version, sealed_secret as "sealedSecret" from embed_secret
  where tenant_id = $1 and expires_at is null`;

const contextOf = (tenantId: number): string => `tenant:${tenantId}:embed-secret`;

/** The secrets that sign the tokens of embed sessions. An account gets its first one when it is first needed. */
@Injectable()
export class EmbedSecretsRepository extends BaseRepository {
  constructor(@Inject(SecretBox) private readonly box: SecretBox) {
    super();
  }

  /** The secret that signs. @param known what `signing` has found in the transaction */
  async find(tx: Transaction, tenantId: number, known?: SealedSecret): Promise<NumberedSecret> {
    const manager = this.managerFor(tx);
    const there = known ?? (await manager.query<SealedSecret[]>(signing, [tenantId]))[0];
    if (there) return this.opened(tenantId, there);
    await manager.query(
      'insert into embed_secret (tenant_id, version, sealed_secret) values ($1, 1, $2) on conflict do nothing',
      [tenantId, this.sealedNew(tenantId)],
    );
    const [made] = await manager.query<[SealedSecret]>(signing, [tenantId]);
    return this.opened(tenantId, made);
  }

  /** Every secret whose tokens work. */
  async findLive(database: Database, tenantId: number): Promise<LiveSecret[]> {
    const rows = await database.read<SealedSecret & { validForMs: number | null }>(
      tenantId,
      {
        name: 'live-embed-secrets',
        text: `select version, sealed_secret as "sealedSecret",
                 floor(extract(epoch from expires_at - now()) * 1000)::float as "validForMs"
               from embed_secret where tenant_id = $1 and (expires_at is null or expires_at > now())`,
      },
      [tenantId],
    );
    return rows.map((row) => ({ ...this.opened(tenantId, row), validForMs: row.validForMs }));
  }

  /**
   * Replaces the secret; those of before work for the grace period at most. Rotations of an account take turns.
   *
   * @throws AppError `embedding.too_many_secrets` (409)
   */
  async rotate(tx: Transaction, tenantId: number, graceSeconds: number): Promise<Rotation> {
    const manager = this.managerFor(tx);
    await manager.query('select pg_advisory_xact_lock($1)', [advisoryLockId('embed-secret', tenantId)]);
    const { version } = await this.find(tx, tenantId);
    await manager.query(
      `delete from embed_secret where tenant_id = $1 and (expires_at <= now() or expires_at is not null and $2 = 0)`,
      [tenantId, graceSeconds],
    );
    await manager.query(
      `update embed_secret set expires_at = least(expires_at, now() + make_interval(secs => $2)) where tenant_id = $1`,
      [tenantId, graceSeconds],
    );
    await manager.query('insert into embed_secret (tenant_id, version, sealed_secret) values ($1, $2, $3)', [
      tenantId,
      version + 1,
      this.sealedNew(tenantId),
    ]);
    const [rotation] = await manager.query<[Rotation & { previous: number }]>(
      `select now() as "rotatedAt", max(expires_at) filter (where expires_at > now()) as "previousExpireAt",
         (count(*) filter (where expires_at > now()))::int as previous from embed_secret where tenant_id = $1`,
      [tenantId],
    );
    if (rotation.previous > MOST_PREVIOUS) throw tooManySecrets();
    return rotation;
  }

  private sealedNew(tenantId: number): string {
    return this.box.seal(randomBytes(SECRET_BYTES).toString('base64url'), contextOf(tenantId));
  }

  private opened(tenantId: number, { version, sealedSecret }: SealedSecret): NumberedSecret {
    return { version, secret: this.box.open(sealedSecret, contextOf(tenantId)) };
  }
}

const tooManySecrets = (): AppError =>
  new AppError(
    'embedding.too_many_secrets',
    `${MOST_PREVIOUS} earlier secrets are still valid: wait, or rotate with graceSeconds 0, which ends them`,
  );
