import type { Principal } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import { markReplayed, requestContext } from '@plinth/observability';
import type { QueryRunner } from 'typeorm';
import { advisoryLockId } from './advisory-lock';
import { literal } from './literal';
import type { SecretBox } from './secret-box';

/** How long a stored reply answers repeats. */
export const KEPT_HOURS = 24;

/** An idempotency key of one credential in one tenant, with the request that it stands for. */
export interface Claim {
  tenantId: number;
  credentialId: string;
  /** The operation and what the client sent: one key on two operations is two claims. */
  key: string;
  fingerprint: string;
  lockId: string;
}

/** The claim of the request being served; undefined when its client sent no key. */
export function currentClaim({ tenantId, credentialId }: Principal, schema: string): Claim | undefined {
  const claim = requestContext()?.idempotency;
  if (!claim) return undefined;
  const key = `${claim.operationId} ${claim.key}`;
  const lockId = advisoryLockId('idempotency', schema, tenantId, credentialId, key);
  return { tenantId, credentialId, key, fingerprint: claim.fingerprint, lockId };
}

export const inProgress = (): AppError =>
  new AppError('idempotency.in_progress', 'A request with this idempotency key is still running', {
    retryAfterSeconds: 1,
  });

/** @throws AppError `idempotency.key_reused` when the stored request is another one. */
export function requireSameRequest(claim: Claim, stored: { fingerprint: string | null }): void {
  if (stored.fingerprint === claim.fingerprint) return;
  throw new AppError('idempotency.key_reused', 'This idempotency key was used for another request');
}

interface StoredRow {
  fingerprint: string;
  reply: string;
}

/** Must run as a statement after the lock was taken: a snapshot from before it could miss the record. */
export const selectReply = ({ tenantId, credentialId, key }: Claim): string =>
  `select fingerprint, reply from idempotency_record
   where tenant_id = ${tenantId} and credential_id = ${literal(credentialId)} and key = ${literal(key)}
     and created_at > now() - interval '${KEPT_HOURS} hours'`;

/** The stored reply of an earlier request with the same key; marks the request as replayed when there is one. */
export function replyIn<Reply>(
  [stored]: readonly StoredRow[],
  claim: Claim,
  secrets: SecretBox,
): { reply: Reply } | undefined {
  if (!stored) return undefined;
  requireSameRequest(claim, stored);
  markReplayed();
  return { reply: openReply<Reply>(secrets, stored.reply, claim.tenantId) };
}

/** {@link replyIn} of {@link selectReply}. */
export async function findReply<Reply>(
  queryRunner: QueryRunner,
  claim: Claim,
  secrets: SecretBox,
): Promise<{ reply: Reply } | undefined> {
  return replyIn((await queryRunner.query(selectReply(claim))) as StoredRow[], claim, secrets);
}

export const insertReply = ({ tenantId, credentialId, key, fingerprint }: Claim, sealedReply: string): string =>
  `insert into idempotency_record (tenant_id, credential_id, key, fingerprint, reply)
   values (${[tenantId, credentialId, key, fingerprint, sealedReply].map(literal).join(', ')})
   on conflict (tenant_id, credential_id, key) do update
     set fingerprint = excluded.fingerprint, reply = excluded.reply, created_at = now()`;

export async function storeReply(queryRunner: QueryRunner, claim: Claim, sealedReply: string): Promise<void> {
  await queryRunner.query(insertReply(claim, sealedReply));
}

const contextOf = (tenantId: number): string => `reply:${tenantId}`;

/** A reply can hold a secret that is shown once, so it is never stored in the clear. */
export const sealReply = (secrets: SecretBox, reply: unknown, tenantId: number): string =>
  secrets.seal(JSON.stringify({ reply }), contextOf(tenantId));

export const openReply = <Reply>(secrets: SecretBox, sealed: string, tenantId: number): Reply =>
  (JSON.parse(secrets.open(sealed, contextOf(tenantId))) as { reply: Reply }).reply;
