import { Inject, Injectable } from '@nestjs/common';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { unknownEvent } from '@plinth/messaging';
import { SessionNotices } from '../session-notices';
import { SessionsRepository } from '../sessions';
import { CommentsRepository } from '../comments';
import { EmbedUsersRepository } from '../users';

type DeliveredEvents = BodyOf<'deliverEventsToEmbed'>;

/** Takes what others say of deployments, dashboards, groups and attributes. Each event takes effect once, whatever the number of deliveries. */
@Injectable()
export class EventsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly users: EmbedUsersRepository,
    private readonly comments: CommentsRepository,
    private readonly sessions: SessionsRepository,
    private readonly notices: SessionNotices,
  ) {}

  async deliver({ tenantId, events }: DeliveredEvents): Promise<ReplyOf<'deliverEventsToEmbed'>> {
    for (const event of events) {
      const apply = this.effectOf(event);
      await this.database.applyOnce({ eventId: event.eventId, tenantId }, apply);
    }
    return {};
  }

  private effectOf({ type, payload }: DeliveredEvents['events'][number]): (tx: Transaction) => Promise<void> {
    switch (type) {
      case 'deployment.deleted':
        return (tx) => this.endDeployment(tx, Number(payload['deploymentId']));
      case 'dashboard.deleted':
        return (tx) =>
          this.comments.deleteOfDashboard(tx, Number(payload['deploymentId']), Number(payload['dashboardId']));
      case 'user_group.deleted':
        return (tx) => this.users.forgetAccountGroup(tx, Number(payload['groupId']));
      case 'user_attribute.deleted':
        return (tx) => this.users.forgetAttribute(tx, Number(payload['attributeId']));
      default:
        throw unknownEvent(type);
    }
  }

  private async endDeployment(tx: Transaction, deploymentId: number): Promise<void> {
    await this.comments.deleteOfDeployment(tx, deploymentId);
    const wereThere = await this.sessions.deleteOfDeployment(tx, deploymentId);
    if (wereThere) this.notices.announce(tx, tx.tenantId as number);
  }
}
