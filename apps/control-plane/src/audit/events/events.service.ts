import { Inject, Injectable } from '@nestjs/common';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { unknownEvent, type DomainEvents } from '@plinth/messaging';
import { AuditLogService } from '../audit-log/audit-log.service';

/** Takes the events of all services that this one must hear of. */
@Injectable()
export class EventsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly auditLog: AuditLogService,
  ) {}

  async deliver({
    tenantId,
    events,
  }: BodyOf<'deliverEventsToControlPlane'>): Promise<ReplyOf<'deliverEventsToControlPlane'>> {
    const unknown = events.find(({ type }) => type !== 'audit.recorded');
    if (unknown) throw unknownEvent(unknown.type);
    await this.database.applyAllOnce(tenantId, events, (tx, fresh) =>
      this.auditLog.append(
        tx,
        tenantId,
        fresh.map(({ eventId, payload }) => ({ eventId, ...(payload as DomainEvents['audit.recorded']) })),
      ),
    );
    return {};
  }
}
