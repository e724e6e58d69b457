import type { Session, Transaction } from '@plinth/database';
import type { DomainEvents } from '@plinth/messaging';
import { failpoint } from '@plinth/observability';

/** One reference's move. The zero id stands for a reference that does not exist before, or after. */
export interface RefChange {
  name: string;
  oldId: string;
  newId: string;
}

/** A git write that was decided on. */
export interface Intent<Details> {
  id: string;
  tenantId: number;
  deploymentId: number;
  refs: readonly RefChange[];
  details: Details;
}

export interface StoredIntent<Details> extends Intent<Details> {
  events: readonly DomainEvents['audit.recorded'][];
  claim: { credentialId: string; key: string; fingerprint: string } | undefined;
  /** Sealed. */
  reply: string;
  lockId: string;
}

type Settle<Details> = (tx: Transaction, intent: Intent<Details>) => Promise<void>;

/** Rows of the table `intent`. */
export class IntentStore<Details> {
  constructor(private readonly settle: Settle<Details> | undefined) {}

  async insert(session: Session, intent: StoredIntent<Details>): Promise<void> {
    await session.query(
      `insert into intent
         (id, tenant_id, deployment_id, refs, details, events, credential_id, key, fingerprint, reply, lock_id)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [
        intent.id,
        intent.tenantId,
        intent.deploymentId,
        JSON.stringify(intent.refs),
        JSON.stringify(intent.details ?? null),
        JSON.stringify(intent.events),
        intent.claim?.credentialId ?? null,
        intent.claim?.key ?? null,
        intent.claim?.fingerprint ?? null,
        intent.reply,
        intent.lockId,
      ],
    );
  }

  /** Intents whose writer held this lock, oldest first. */
  async underLock(session: Session, lockId: string): Promise<StoredIntent<Details>[]> {
    const text = 'select * from intent where lock_id = $1 order by created_at';
    const { rows } = await session.query<IntentRow<Details>>(text, [lockId]);
    return rows.map(fromRow);
  }

  async olderThan(session: Session, seconds: number, limit: number): Promise<{ lockId: string; tenantId: number }[]> {
    const { rows } = await session.query<{ lockId: string; tenantId: number }>(
      `select lock_id as "lockId", tenant_id as "tenantId" from intent
       group by lock_id, tenant_id
       having max(created_at) < now() - make_interval(secs => $1) order by max(created_at) limit $2`,
      [seconds, limit],
    );
    return rows;
  }

  /** Closes the intent, and drops those that it succeeded. Does nothing when somebody else closed it already. */
  async complete(session: Session, intent: StoredIntent<Details>): Promise<void> {
    const close = async (tx: Transaction): Promise<void> => {
      const closed = await this.remove(session, intent.tenantId, [intent.id]);
      if (closed === 0) return;
      await session.query('delete from intent where tenant_id = $1 and lock_id = $2', [intent.tenantId, intent.lockId]);
      await this.settle?.(tx, intent);
      for (const event of intent.events) tx.emit('audit.recorded', event, intent.tenantId);
      if (intent.claim) {
        const claim = { ...intent.claim, tenantId: intent.tenantId, lockId: intent.lockId };
        await session.storeReply(claim, intent.reply);
      }
    };
    await session.transaction(close, { beforeCommit: () => failpoint('journal.before-commit') });
  }

  async discard(session: Session, tenantId: number, ids: readonly string[]): Promise<void> {
    await this.remove(session, tenantId, ids);
  }

  private async remove(session: Session, tenantId: number, ids: readonly string[]): Promise<number> {
    const text = 'delete from intent where tenant_id = $1 and id = any($2)';
    const { count } = await session.query(text, [tenantId, ids]);
    return count;
  }
}

interface IntentRow<Details> {
  id: string;
  tenant_id: number;
  deployment_id: number;
  refs: RefChange[];
  details: Details;
  events: DomainEvents['audit.recorded'][];
  credential_id: string | null;
  key: string | null;
  fingerprint: string | null;
  reply: string;
  lock_id: string;
}

const fromRow = <Details>(row: IntentRow<Details>): StoredIntent<Details> => ({
  id: row.id,
  tenantId: row.tenant_id,
  deploymentId: row.deployment_id,
  refs: row.refs,
  details: row.details,
  events: row.events,
  claim:
    row.key === null
      ? undefined
      : { credentialId: row.credential_id ?? '', key: row.key, fingerprint: row.fingerprint ?? '' },
  reply: row.reply,
  lockId: row.lock_id,
});
