import type { Principal } from '@plinth/auth';
import { failpoint } from '@plinth/observability';
import type { QueryResult } from 'pg';
import type { QueryRunner } from 'typeorm';
import { currentAuditEvent } from './audit-event';
import { currentClaim, inProgress, insertReply, replyIn, sealReply, selectReply, type Claim } from './idempotency';
import { literal } from './literal';
import type { SecretBox } from './secret-box';
import type { Session } from './session';
import { inTransaction, sendWithCommit, type Commit, type Transaction } from './transaction';

export interface MutationEnvironment {
  schema: string;
  secrets: SecretBox;
  onCommit: (commit: Commit) => void;
}

/**
 * Runs a mutating operation in one transaction with its audit event and, under an idempotency key, its stored reply:
 * whatever happens, all three exist or none does. A repeat gets the stored reply; an error stores nothing.
 */
export function mutate<Reply>(
  queryRunner: QueryRunner,
  principal: Principal,
  work: (tx: Transaction) => Promise<Reply>,
  { schema, secrets, onCommit }: MutationEnvironment,
): Promise<Reply> {
  const claim = currentClaim(principal, schema);
  const step = async (tx: Transaction, results: readonly QueryResult[]): Promise<Reply> => {
    const earlier = claim && replyUnder<Reply>(claim, results, secrets);
    if (earlier) return earlier.reply;
    failpoint('mutate.after-claim');
    const reply = await work(tx);
    failpoint('mutate.after-work');
    const audit = currentAuditEvent(principal, reply);
    if (audit) tx.emit('audit.recorded', audit);
    if (claim) sendWithCommit(tx, insertReply(claim, sealReply(secrets, reply, claim.tenantId)));
    return reply;
  };
  return inTransaction(queryRunner, principal.tenantId, step, {
    first: claim ? takeClaim(claim) : [],
    beforeCommit: () => failpoint('mutate.before-commit'),
    afterCommit: (commit) => {
      failpoint('mutate.after-commit');
      onCommit(commit);
    },
  });
}

/** Runs one of several transactions. */
export type Step = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;

interface SteppedMutation<Reply> {
  principal: Principal;
  claim: Claim | undefined;
  work: (step: Step) => Promise<Reply>;
}

/** See `Database.mutateInSteps`. The lock of the claim is held from the first step to the last. */
export function mutateInSteps<Reply>(
  session: Session,
  { principal, claim, work }: SteppedMutation<Reply>,
): Promise<Reply> {
  const run = async (): Promise<Reply> => {
    const earlier = claim && (await session.findReply<Reply>(claim));
    if (earlier) return earlier.reply;
    const reply = await work((step) => session.transaction(step));
    await session.transaction(async (tx) => {
      const audit = currentAuditEvent(principal, reply);
      if (audit) tx.emit('audit.recorded', audit);
      if (claim) await session.storeReply(claim, session.sealReply(reply, principal.tenantId));
    });
    return reply;
  };
  return claim ? session.locked(claim.lockId, run) : run();
}

/** The lock ends with the transaction, and with the process: a crashed request never blocks its repeat. */
const takeClaim = (claim: Claim): string[] => [
  `select pg_try_advisory_xact_lock(${literal(claim.lockId)}) as acquired`,
  selectReply(claim),
];

function replyUnder<Reply>(
  claim: Claim,
  [lock, stored]: readonly QueryResult[],
  secrets: SecretBox,
): { reply: Reply } | undefined {
  if (!(lock?.rows as { acquired: boolean }[])[0]?.acquired) throw inProgress();
  return replyIn<Reply>(stored?.rows ?? [], claim, secrets);
}
