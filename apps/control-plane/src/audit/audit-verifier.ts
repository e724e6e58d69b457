import type { Database } from '@plinth/database';
import { genesisHash, hashAfter, type ChainHead } from './audit-chain';
import type { AuditEventsRepository, ChainedEvent } from './audit-events.repository';

/** What an operator learns of a tenant's log. */
export interface AuditVerdict {
  tenantId: number;
  /** How many events are as they were recorded. */
  intact: number;
  /** Hash of the last intact event (hex). Kept elsewhere, it shows later whether the whole log was written anew. */
  hash: string;
  /** The first event that does not fit; null when all do. */
  broken: { id: number; reason: string } | null;
}

const BATCH = 5_000;

/** Walks the chains of audit logs. Holds one batch of events at a time. */
export class AuditVerifier {
  constructor(
    private readonly database: Database,
    private readonly events: AuditEventsRepository,
  ) {}

  /** The logs of all tenants, or of one. */
  async *verify(onlyTenantId?: number): AsyncGenerator<AuditVerdict> {
    const heads = await this.database.asSystem((tx) => this.events.listHeads(tx));
    for (const { tenantId, ...head } of heads) {
      if (onlyTenantId === undefined || onlyTenantId === tenantId) yield this.verifyTenant(tenantId, head);
    }
  }

  private async verifyTenant(tenantId: number, head: ChainHead): Promise<AuditVerdict> {
    let last: ChainHead = { length: 0, hash: genesisHash(tenantId) };
    const verdict = (reason?: string): AuditVerdict => ({
      tenantId,
      intact: last.length,
      hash: last.hash.toString('hex'),
      broken: reason === undefined ? null : { id: last.length + 1, reason },
    });
    for (;;) {
      const batch = await this.database.asSystem((tx) => this.events.listAfter(tx, tenantId, last.length, BATCH));
      for (const event of batch) {
        const problem = problemOf(event, last, head);
        if (problem !== undefined) return verdict(problem);
        last = { length: event.id, hash: event.hash };
      }
      if (batch.length < BATCH) break;
    }
    return verdict(last.length < head.length ? `${head.length - last.length} events are missing` : undefined);
  }
}

/** Why the event cannot follow on the one before it. */
function problemOf(event: ChainedEvent, last: ChainHead, head: ChainHead): string | undefined {
  if (event.id !== last.length + 1) return `events are missing: the next one is ${event.id}`;
  if (!event.hash.equals(hashAfter(last.hash, event))) return 'the event is not as it was recorded';
  if (event.id === head.length && !event.hash.equals(head.hash)) return 'the chain does not end as it was recorded';
  return undefined;
}
