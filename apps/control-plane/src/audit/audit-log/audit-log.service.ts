import { Injectable } from '@nestjs/common';
import type { Transaction } from '@plinth/database';
import type { DomainEvents } from '@plinth/messaging';
import { failpoint } from '@plinth/observability';
import { hashAfter, type AuditEvent } from './audit-chain';
import { AuditEventsRepository, type ChainedEvent } from './audit-events.repository';

/** What a service has recorded, on its way into the log. */
export type RecordedEvent = DomainEvents['audit.recorded'] & { eventId: string };

/** Takes what has been recorded into the tenant's log. */
@Injectable()
export class AuditLogService {
  constructor(private readonly events: AuditEventsRepository) {}

  /** Adds the events to the end of the chain. The caller's transaction makes it happen once for every event id. */
  async append(tx: Transaction, tenantId: number, recorded: readonly RecordedEvent[]): Promise<void> {
    const deploymentIds = new Set(recorded.flatMap(({ deploymentId }) => deploymentId ?? []));
    const names = await this.events.deploymentNames(tx, tenantId, [...deploymentIds]);
    let { length, hash } = await this.events.lockHead(tx, tenantId);
    const chained = recorded.map((each): ChainedEvent => {
      const event: AuditEvent = {
        ...each,
        id: (length += 1),
        occurredAt: new Date(each.occurredAt),
        deploymentName: names.get(each.deploymentId) ?? null,
        attributes: JSON.stringify(each.attributes),
      };
      return { ...event, hash: (hash = hashAfter(hash, event)) };
    });
    await this.events.append(tx, tenantId, chained, { length, hash });
    failpoint('audit.after-append');
  }
}
