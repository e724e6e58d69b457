import { Inject, Injectable } from '@nestjs/common';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { BUS, LOGGER } from '@plinth/host';
import { unknownEvent, type Bus, type DomainEvents } from '@plinth/messaging';
import type { Logger } from '@plinth/observability';
import { AuditLogService } from '../audit-log/audit-log.service';

type Event = BodyOf<'deliverEventsToControlPlane'>['events'][number];

/** Takes the events of all services that this one must hear of. */
@Injectable()
export class EventsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly auditLog: AuditLogService,
    @Inject(BUS) private readonly bus: Pick<Bus, 'publish'>,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  async deliver({
    tenantId,
    events,
  }: BodyOf<'deliverEventsToControlPlane'>): Promise<ReplyOf<'deliverEventsToControlPlane'>> {
    const recorded = events.filter(({ type }) => type === 'audit.recorded');
    const deleted = events.filter(({ type }) => type === 'tenant.deleted');
    const unknown = events.find((event) => !recorded.includes(event) && !deleted.includes(event));
    if (unknown) throw unknownEvent(unknown.type);
    for (const { payload } of deleted) this.announceDeleted(tenantId, payload as DomainEvents['tenant.deleted']);
    if (recorded.length > 0) await this.record(tenantId, recorded);
    return {};
  }

  private async record(tenantId: number, events: readonly Event[]): Promise<void> {
    await this.database.applyAllOnce(tenantId, events, (tx, fresh) =>
      this.auditLog.append(
        tx,
        tenantId,
        fresh.map(({ eventId, payload }) => ({ eventId, ...(payload as DomainEvents['audit.recorded']) })),
      ),
    );
  }

  /** Whoever remembers something of the tenant looks it up again, and its engines end. Nothing is written for it any more. */
  private announceDeleted(tenantId: number, { tenantName, deploymentIds }: DomainEvents['tenant.deleted']): void {
    this.logger.warn({ tenantId, tenantName, deployments: deploymentIds.length }, 'a tenant was deleted');
    this.bus.publish({ topic: 'control-plane.tenant.changed', payload: { tenantId } });
    this.bus.publish({ topic: 'control-plane.credential.changed', payload: { tenantId } });
    for (const deploymentId of deploymentIds) {
      this.bus.publish({ topic: 'control-plane.deployment.changed', payload: { deploymentId } });
    }
  }
}
