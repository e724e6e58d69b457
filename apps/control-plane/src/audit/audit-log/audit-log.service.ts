import { Injectable } from '@nestjs/common';
import type { DeliveredEvent, Transaction } from '@plinth/database';
import type { DomainEvents } from '@plinth/messaging';
import { failpoint } from '@plinth/observability';
import { hashAfter, type AuditEvent } from './audit-chain';
import { AuditEventsRepository } from './audit-events.repository';

/** Takes what has been recorded into the tenant's log. */
@Injectable()
export class AuditLogService {
  constructor(private readonly events: AuditEventsRepository) {}

  /** Adds the event to the end of the chain. The caller's transaction makes it happen once for every event id. */
  async append(
    tx: Transaction,
    { tenantId, eventId }: DeliveredEvent,
    recorded: DomainEvents['audit.recorded'],
  ): Promise<void> {
    const { deploymentId } = recorded;
    const deploymentName = deploymentId === null ? null : await this.events.deploymentName(tx, tenantId, deploymentId);
    const head = await this.events.lockHead(tx, tenantId);
    const event: AuditEvent = {
      ...recorded,
      id: head.length + 1,
      eventId,
      occurredAt: new Date(recorded.occurredAt),
      deploymentName,
      attributes: JSON.stringify(recorded.attributes),
    };
    await this.events.append(tx, tenantId, { ...event, hash: hashAfter(head.hash, event) });
    failpoint('audit.after-append');
  }
}
