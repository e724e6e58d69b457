import { randomUUID } from 'node:crypto';
import type { Principal } from '@plinth/auth';
import {
  advisoryLockId,
  currentAuditEvent,
  requireSameRequest,
  type Claim,
  type Database,
  type Session,
  type Transaction,
} from '@plinth/database';
import { failpoint, markReplayed } from '@plinth/observability';
import { IntentStore, type Intent, type RefChange, type StoredIntent } from './intent-store';

/** A write that is ready to happen: its git objects exist, its references have not moved yet. */
export interface PlannedWrite<Reply, Details> {
  deploymentId: number;
  refs: readonly RefChange[];
  /** What `settle` needs to know; JSON. */
  details: Details;
  reply: Reply;
  /** Moves the references by compare-and-swap, all or none. */
  applyRefs: () => Promise<void>;
}

export interface JournalHandlers<Details> {
  /** Whether the references carry the intent: every new commit is reachable from its reference by now. */
  isApplied(intent: Intent<Details>): Promise<boolean>;
  /** Database work that belongs to the write; runs once, in the transaction that closes the intent. */
  settle?(tx: Transaction, intent: Intent<Details>): Promise<void>;
}

/** Age from which the recovery takes over an intent whose process is gone. */
const ABANDONED_AFTER_SECONDS = 60;
const RECOVERED_AT_ONCE = 100;

/**
 * Makes a git reference update, its audit event and its idempotency record agree, although git takes part in no
 * transaction:
 *
 * 1. Transaction 1 writes the intent: the references with their old and new commits, and the reply.
 * 2. The references move by compare-and-swap.
 * 3. Transaction 2 runs `settle`, writes the audit event and the record, and deletes the intent.
 *
 * A session-level advisory lock, of the idempotency key or else of the intent itself, is held throughout. It ends with
 * the process, so whoever gets it and finds an intent knows that its writer is gone. Git then decides: when the
 * references carry the intent, step 3 is made up for and the stored reply answered; otherwise nothing had happened,
 * and the write is prepared anew.
 *
 * The writer may be gone while a git process of his still runs. Therefore an abandoned intent is kept until its
 * successor is through, and looked at again after the successor was prepared. Prepared before the straggler moved the
 * reference, the successor expects the old commit, and compare-and-swap lets only one of them through; prepared after,
 * that second look finds the straggler applied. Either way there is one effect and one reply.
 */
export class GitJournal<Details> {
  private readonly store: IntentStore<Details>;

  constructor(
    private readonly database: Database,
    private readonly handlers: JournalHandlers<Details>,
  ) {
    this.store = new IntentStore(handlers.settle?.bind(handlers));
  }

  /**
   * Runs one write. `prepare` makes the objects and says which references move; it is not called for a repeat.
   *
   * @throws AppError `idempotency.in_progress` (409), `idempotency.key_reused` (422), and what `prepare` and
   *   `applyRefs` throw, after which nothing has happened.
   */
  run<Reply>(principal: Principal, prepare: () => Promise<PlannedWrite<Reply, Details>>): Promise<Reply> {
    const claim = this.database.claimOf(principal);
    const id = randomUUID();
    const lockId = claim?.lockId ?? advisoryLockId('intent', this.database.names.schema, id);
    return this.database.session(principal.tenantId, (session) =>
      session.locked(lockId, () => this.write(session, { id, lockId, claim, principal, prepare })),
    );
  }

  /** Closes intents whose process died and whose client did not come back. Returns how many were looked at. */
  async recover(): Promise<number> {
    const abandoned = await this.database.session(null, (session) =>
      this.store.olderThan(session, ABANDONED_AFTER_SECONDS, RECOVERED_AT_ONCE),
    );
    for (const { lockId, tenantId } of abandoned) {
      const resolve = this.database.session(tenantId, (session) =>
        session.locked(lockId, () => this.resolveEarlier(session, lockId, tenantId, true)),
      );
      await resolve.catch(ignoreInProgress);
    }
    return abandoned.length;
  }

  private async write<Reply>(
    session: Session,
    { id, lockId, claim, principal, prepare }: WriteRequest<Reply, Details>,
  ): Promise<Reply> {
    const stored = claim && (await session.findReply<Reply>(claim));
    if (stored) return stored.reply;
    const resolved = (): Promise<{ reply: Reply } | undefined> =>
      claim ? this.replyOfEarlier<Reply>(session, claim) : Promise.resolve(undefined);
    const before = await resolved();
    if (before) return before.reply;
    try {
      const plan = await prepare();
      const after = await resolved();
      if (after) return after.reply;
      const intent = intentOf(session, { id, lockId, claim, principal }, plan);
      await this.store.insert(session, intent);
      failpoint('journal.after-intent');
      await this.apply(session, intent, plan);
      failpoint('journal.after-refs');
      await this.store.complete(session, intent);
      failpoint('journal.after-commit');
      return plan.reply;
    } catch (error) {
      const overtaken = await resolved();
      if (overtaken) return overtaken.reply;
      throw error;
    }
  }

  /** An error of `applyRefs` counts only when git agrees that nothing moved. */
  private async apply<Reply>(
    session: Session,
    intent: StoredIntent<Details>,
    plan: PlannedWrite<Reply, Details>,
  ): Promise<void> {
    try {
      await plan.applyRefs();
    } catch (error) {
      if (await this.handlers.isApplied(intent)) return;
      await this.store.discard(session, intent.tenantId, [intent.id]);
      throw error;
    }
  }

  private async replyOfEarlier<Reply>(session: Session, claim: Claim): Promise<{ reply: Reply } | undefined> {
    const completed = await this.resolveEarlier(session, claim.lockId, claim.tenantId, false, claim);
    if (!completed) return undefined;
    markReplayed();
    return { reply: session.openReply<Reply>(completed.reply, claim.tenantId) };
  }

  /** Completes the one abandoned intent that git carries; the others never happened. */
  private async resolveEarlier(
    session: Session,
    lockId: string,
    tenantId: number,
    discardOthers: boolean,
    claim?: Claim,
  ): Promise<StoredIntent<Details> | undefined> {
    const intents = await this.store.underLock(session, lockId);
    for (const intent of intents) {
      if (claim) requireSameRequest(claim, { fingerprint: intent.claim?.fingerprint ?? null });
      if (!(await this.handlers.isApplied(intent))) continue;
      await this.store.complete(session, intent);
      return intent;
    }
    if (discardOthers) {
      const ids = intents.map(({ id }) => id);
      await this.store.discard(session, tenantId, ids);
    }
    return undefined;
  }
}

interface WriteRequest<Reply, Details> {
  id: string;
  lockId: string;
  claim: Claim | undefined;
  principal: Principal;
  prepare: () => Promise<PlannedWrite<Reply, Details>>;
}

function intentOf<Reply, Details>(
  session: Session,
  { id, lockId, claim, principal }: Omit<WriteRequest<Reply, Details>, 'prepare'>,
  { deploymentId, refs, details, reply }: PlannedWrite<Reply, Details>,
): StoredIntent<Details> {
  const audit = currentAuditEvent(principal, reply);
  return {
    id,
    tenantId: principal.tenantId,
    deploymentId,
    refs,
    details,
    events: audit ? [audit] : [],
    claim: claim && { credentialId: claim.credentialId, key: claim.key, fingerprint: claim.fingerprint },
    reply: session.sealReply(reply, principal.tenantId),
    lockId,
  };
}

function ignoreInProgress(error: unknown): undefined {
  if ((error as { code?: unknown }).code === 'idempotency.in_progress') return undefined;
  throw error;
}
