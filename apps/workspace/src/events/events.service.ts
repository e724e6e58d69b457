import { Inject, Injectable } from '@nestjs/common';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { unknownEvent } from '@plinth/messaging';
import { ItemsRepository } from '../content';
import { EndedTenants } from './ended-tenants.service';

type DeliveredEvents = BodyOf<'deliverEventsToWorkspace'>;

/** Takes what is said of deployments and of embed tenants. Each event takes effect once, whatever the number of deliveries. */
@Injectable()
export class EventsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly items: ItemsRepository,
    private readonly tenants: EndedTenants,
  ) {}

  async deliver({ tenantId, events }: DeliveredEvents): Promise<ReplyOf<'deliverEventsToWorkspace'>> {
    for (const event of events) {
      const apply = await this.effectOf(tenantId, event);
      await this.database.applyOnce({ eventId: event.eventId, tenantId }, apply);
    }
    return {};
  }

  private async effectOf(
    tenantId: number,
    { type, payload }: DeliveredEvents['events'][number],
  ): Promise<(tx: Transaction) => Promise<void>> {
    switch (type) {
      case 'deployment.deleted':
        return (tx) => this.items.deleteOfDeployment(tx, Number(payload['deploymentId']));
      case 'embed_tenant.deleted':
        return this.tenants.ending(tenantId, Number(payload['embedTenantId']), String(payload['embedTenantName']));
      default:
        throw unknownEvent(type);
    }
  }
}
