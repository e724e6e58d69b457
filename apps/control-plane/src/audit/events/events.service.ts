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

  async deliver(event: BodyOf<'deliverEventToControlPlane'>): Promise<ReplyOf<'deliverEventToControlPlane'>> {
    if (event.type !== 'audit.recorded') throw unknownEvent(event.type);
    const recorded = event.payload as unknown as DomainEvents['audit.recorded'];
    await this.database.applyOnce(event, (tx) => this.auditLog.append(tx, event, recorded));
    return {};
  }
}
