import type { QueryRunner } from 'typeorm';
import { findReply, inProgress, openReply, sealReply, storeReply, type Claim } from './idempotency';
import type { SecretBox } from './secret-box';
import { inTransaction, type Commit, type Transaction, type TransactionHooks } from './transaction';

export interface SessionEnvironment {
  secrets: SecretBox;
  /** Tells those who are to hear of a commit. */
  onCommit: (commit: Commit) => void;
}

/** One connection through several transactions, for work that is locked against others from its beginning to its end. */
export class Session {
  constructor(
    private readonly queryRunner: QueryRunner,
    private readonly tenantId: number | null,
    private readonly environment: SessionEnvironment,
  ) {}

  /** A statement of the open transaction, or one by itself. `count` is the number of rows that it changed. */
  async query<Row>(text: string, values: readonly unknown[] = []): Promise<{ rows: Row[]; count: number }> {
    const { records, affected } = await this.queryRunner.query(text, [...values], true);
    return { rows: records as Row[], count: affected ?? 0 };
  }

  /** As `Database.transaction`, on this connection. `beforeCommit` runs when the events are in the outbox. */
  transaction<T>(
    work: (tx: Transaction) => Promise<T>,
    { beforeCommit }: Pick<TransactionHooks, 'beforeCommit'> = {},
  ): Promise<T> {
    return inTransaction(this.queryRunner, this.tenantId, work, {
      ...(beforeCommit && { beforeCommit }),
      afterCommit: this.environment.onCommit,
    });
  }

  /**
   * Works under a lock that ends with the connection, and with the process: whoever gets it knows that who had it is gone.
   *
   * @throws AppError `idempotency.in_progress` (409) when somebody else has it
   */
  async locked<T>(lockId: string, work: () => Promise<T>): Promise<T> {
    const { rows } = await this.query<{ acquired: boolean }>('select pg_try_advisory_lock($1) as acquired', [lockId]);
    if (!rows[0]?.acquired) throw inProgress();
    try {
      return await work();
    } finally {
      // A connection that broke has lost the lock already.
      await this.query('select pg_advisory_unlock($1)', [lockId]).catch(() => undefined);
    }
  }

  /** The stored reply of an earlier request with the claim's key; marks the request as replayed when there is one. */
  findReply<Reply>(claim: Claim): Promise<{ reply: Reply } | undefined> {
    return findReply<Reply>(this.queryRunner, claim, this.environment.secrets);
  }

  storeReply(claim: Claim, sealedReply: string): Promise<void> {
    return storeReply(this.queryRunner, claim, sealedReply);
  }

  sealReply(reply: unknown, tenantId: number): string {
    return sealReply(this.environment.secrets, reply, tenantId);
  }

  openReply<Reply>(sealed: string, tenantId: number): Reply {
    return openReply<Reply>(this.environment.secrets, sealed, tenantId);
  }
}
