import { BaseRepository, type Transaction } from '@plinth/database';
import type { DomainEvents } from '@plinth/messaging';
import { AuditEvent } from './audit-event.entity';

export class AuditEventsRepository extends BaseRepository {
  async insert(
    tx: Transaction,
    tenantId: number,
    eventId: string,
    event: DomainEvents['audit.recorded'],
  ): Promise<void> {
    await this.managerFor(tx).insert(AuditEvent, {
      ...event,
      tenantId,
      eventId,
      occurredAt: new Date(event.occurredAt),
      attributes: event.attributes as never,
    });
  }
}
