import { BaseRepository, type Transaction } from '@plinth/database';
import type { Checkpoint, CheckpointStatement } from './checkpoint-signer';

/** Which checkpoints of a tenant to read, in their order. */
export interface CheckpointRange {
  afterNumber: number;
  upToNumber?: number;
  upToLength?: number;
}

const fields = `tenant_id as "tenantId", number, length, encode(hash, 'hex') as hash,
  to_char(signed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "signedAt", key_id as "keyId",
  translate(encode(signature, 'base64'), E'+/=\\n', '-_') as signature`;

/** Signed ends of audit logs. They are only ever added. */
export class AuditCheckpointsRepository extends BaseRepository {
  /** Whether no other process makes checkpoints while the transaction runs. */
  async tryLock(tx: Transaction): Promise<boolean> {
    const [row] = await this.managerFor(tx).query<{ locked: boolean }[]>(
      `select pg_try_advisory_xact_lock(hashtextextended('audit checkpoints', 0)) as locked`,
    );
    return row?.locked ?? false;
  }

  /** Ends of logs with so many new events since their last checkpoint, or with any when that is so long ago. */
  listDue(
    tx: Transaction,
    { events, seconds }: { events: number; seconds: number },
    afterTenantId: number,
    limit: number,
  ): Promise<Omit<CheckpointStatement, 'signedAt'>[]> {
    return this.managerFor(tx).query(
      `select c.tenant_id as "tenantId", coalesce(k.number, 0) + 1 as number, c.length, encode(c.hash, 'hex') as hash
       from audit_chain c left join lateral (
         select number, length, signed_at from audit_checkpoint where tenant_id = c.tenant_id order by number desc limit 1
       ) k on true
       where c.tenant_id > $3 and c.length > coalesce(k.length, 0)
         and (k.number is null or c.length - k.length >= $1 or k.signed_at <= now() - make_interval(secs => $2))
       order by c.tenant_id limit $4`,
      [events, seconds, afterTenantId, limit],
    );
  }

  async insert(tx: Transaction, { tenantId, number, length, hash, signedAt, keyId, signature }: Checkpoint) {
    await this.managerFor(tx).query(
      `insert into audit_checkpoint (tenant_id, number, length, hash, signed_at, key_id, signature)
       values ($1, $2, $3, decode($4, 'hex'), $5, $6, $7)`,
      [tenantId, number, length, hash, signedAt, keyId, Buffer.from(signature, 'base64url')],
    );
  }

  listUnpublished(tx: Transaction, limit: number): Promise<Checkpoint[]> {
    return this.managerFor(tx).query(
      `select ${fields} from audit_checkpoint where not is_published order by tenant_id, number limit $1`,
      [limit],
    );
  }

  async markPublished(tx: Transaction, checkpoints: readonly Checkpoint[]): Promise<void> {
    await this.managerFor(tx).query(
      `update audit_checkpoint set is_published = true
       where (tenant_id, number) in (select * from unnest($1::bigint[], $2::bigint[]))`,
      [checkpoints.map(({ tenantId }) => tenantId), checkpoints.map(({ number }) => number)],
    );
  }

  list(
    tx: Transaction,
    tenantId: number,
    { afterNumber, upToNumber, upToLength }: CheckpointRange,
    limit: number,
  ): Promise<Checkpoint[]> {
    return this.managerFor(tx).query(
      `select ${fields} from audit_checkpoint
       where tenant_id = $1 and number > $2 and ($3::bigint is null or number <= $3) and ($4::bigint is null or length <= $4)
       order by number limit $5`,
      [tenantId, afterNumber, upToNumber ?? null, upToLength ?? null, limit],
    );
  }

  /**
   * The checkpoint that a log begins at whose first months were taken away: one that counts everything missing, and is
   * not from the first hour of the months that are left, when late events of the month before still came in. Undefined
   * when what is missing belongs to a month that is still there: it was signed after the first day of that, which is the
   * longest that an event waits for a checkpoint.
   */
  async findRetained(tx: Transaction, tenantId: number, firstId: number): Promise<Checkpoint | undefined> {
    const [found] = await this.managerFor(tx).query<Checkpoint[]>(
      `with oldest as (
         select min(to_timestamp(right(inhrelid::regclass::text, 7), 'YYYY_MM')::timestamp at time zone 'UTC') as month
         from pg_inherits where inhparent = 'audit_event'::regclass and inhrelid::regclass::text ~ '_[0-9]{4}_[0-9]{2}$'
       ), missing as (
         select signed_at from audit_checkpoint where tenant_id = $1
         order by length < $2 desc, case when length < $2 then -number else number end limit 1
       )
       select ${fields} from audit_checkpoint, oldest
       where tenant_id = $1 and length >= $2 - 1 and exists (select from missing where signed_at < month + interval '25 hours')
       order by signed_at < month + interval '1 hour', number limit 1`,
      [tenantId, firstId],
    );
    return found;
  }
}
