import type { Principal } from '@plinth/auth';
import { failpoint } from '@plinth/observability';
import type { QueryRunner } from 'typeorm';
import { currentAuditEvent } from './audit-event';
import { currentClaim, findReply, inProgress, sealReply, storeReply, type Claim } from './idempotency';
import type { SecretBox } from './secret-box';
import { inTransaction, type Transaction } from './transaction';

export interface MutationEnvironment {
  schema: string;
  secrets: SecretBox;
  onEvents: () => void;
}

/**
 * Runs a mutating operation in one transaction with its audit event and, under an idempotency key, its stored reply:
 * whatever happens, all three exist or none does. A repeat gets the stored reply; an error stores nothing.
 */
export function mutate<Reply>(
  queryRunner: QueryRunner,
  principal: Principal,
  work: (tx: Transaction) => Promise<Reply>,
  { schema, secrets, onEvents }: MutationEnvironment,
): Promise<Reply> {
  const claim = currentClaim(principal, schema);
  const step = async (tx: Transaction): Promise<Reply> => {
    const earlier = claim && (await takeClaim<Reply>(queryRunner, claim, secrets));
    if (earlier) return earlier.reply;
    failpoint('mutate.after-claim');
    const reply = await work(tx);
    failpoint('mutate.after-work');
    const audit = currentAuditEvent(principal, reply);
    if (audit) tx.emit('audit.recorded', audit);
    if (claim) await storeReply(queryRunner, claim, sealReply(secrets, reply, claim.tenantId));
    return reply;
  };
  return inTransaction(queryRunner, principal.tenantId, step, {
    beforeCommit: () => failpoint('mutate.before-commit'),
    afterCommit: (emitted) => {
      failpoint('mutate.after-commit');
      if (emitted > 0) onEvents();
    },
  });
}

/** The lock ends with the transaction, and with the process: a crashed request never blocks its repeat. */
async function takeClaim<Reply>(
  queryRunner: QueryRunner,
  claim: Claim,
  secrets: SecretBox,
): Promise<{ reply: Reply } | undefined> {
  const [lock] = (await queryRunner.query('select pg_try_advisory_xact_lock($1) as acquired', [claim.lockId])) as {
    acquired: boolean;
  }[];
  if (!lock?.acquired) throw inProgress();
  return findReply<Reply>(queryRunner, claim, secrets);
}
