import type { Principal } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import { markReplayed, type IdempotencyClaim } from '@plinth/observability';
import type { SecretBox } from './secret-box';
import { managerOf, type Transaction } from './transaction';

/** How long a reply is kept for repeats of its request, in hours. */
export const idempotencyRetentionHours = 24;

interface StoredRecord {
  fingerprint: string;
  reply: string;
}

/** Name of the lock that a request with an idempotency key holds while it runs. */
export const claimLockName = (principal: Principal, claim: IdempotencyClaim): string =>
  `idempotency:${principal.credentialId}:${claim.key}`;

/** Replies by idempotency key. They may hold a secret that is shown once, so they are stored encrypted. */
export class IdempotencyRecords {
  constructor(
    private readonly schema: string,
    private readonly secrets: SecretBox,
  ) {}

  /** @throws AppError `idempotency.in_progress` (409) while another request with the key runs. */
  async lock(tx: Transaction, principal: Principal, claim: IdempotencyClaim): Promise<void> {
    const name = `${this.schema}:${principal.tenantId}:${claimLockName(principal, claim)}`;
    const [row] = await managerOf(tx).query<{ locked: boolean }[]>(
      'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked',
      [name],
    );
    if (!row?.locked) throw stillRunning();
  }

  /** @throws AppError `idempotency.key_reused` (422) when the key answered another request. */
  async find<Reply>(
    tx: Transaction,
    principal: Principal,
    claim: IdempotencyClaim,
  ): Promise<{ reply: Reply } | undefined> {
    const [record] = await managerOf(tx).query<StoredRecord[]>(
      `select fingerprint, reply from "${this.schema}".idempotency_record
       where tenant_id = $1 and credential_id = $2 and key = $3
         and created_at > now() - make_interval(hours => $4)`,
      [principal.tenantId, principal.credentialId, claim.key, idempotencyRetentionHours],
    );
    if (!record) return undefined;
    if (record.fingerprint !== claim.fingerprint) {
      throw new AppError('idempotency.key_reused', 'This Idempotency-Key was used for another request');
    }
    markReplayed();
    return { reply: JSON.parse(this.secrets.open(record.reply, contextOf(principal, claim))) as Reply };
  }

  async store(tx: Transaction, principal: Principal, claim: IdempotencyClaim, reply: unknown): Promise<void> {
    const sealed = this.secrets.seal(JSON.stringify(reply ?? null), contextOf(principal, claim));
    await managerOf(tx).query(
      `insert into "${this.schema}".idempotency_record (tenant_id, credential_id, key, fingerprint, reply)
       values ($1, $2, $3, $4, $5)
       on conflict (tenant_id, credential_id, key)
       do update set fingerprint = excluded.fingerprint, reply = excluded.reply, created_at = now()`,
      [principal.tenantId, principal.credentialId, claim.key, claim.fingerprint, sealed],
    );
  }
}

/** 409 for a request whose twin with the same key has not ended yet. */
export const stillRunning = (): AppError =>
  new AppError('idempotency.in_progress', 'A request with this Idempotency-Key is still running', {
    retryAfterSeconds: 1,
  });

const contextOf = (principal: Principal, claim: IdempotencyClaim): string =>
  `idempotency:${principal.tenantId}:${principal.credentialId}:${claim.key}`;
