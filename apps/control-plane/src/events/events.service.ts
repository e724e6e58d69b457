import { Inject, Injectable } from '@nestjs/common';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { unknownEvent, type DomainEvents } from '@plinth/messaging';
import { AuditEventsRepository } from '../audit/audit-events.repository';

/** Takes the events of all services that this one must hear of. */
@Injectable()
export class EventsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly auditEvents: AuditEventsRepository,
  ) {}

  async deliver(event: BodyOf<'deliverEventToControlPlane'>): Promise<ReplyOf<'deliverEventToControlPlane'>> {
    if (event.type !== 'audit.recorded') throw unknownEvent(event.type);
    await this.database.applyOnce(event, async (tx) => {
      const recorded = event.payload as unknown as DomainEvents['audit.recorded'];
      await this.auditEvents.insert(tx, event.tenantId, event.eventId, recorded);
    });
    return {};
  }
}
