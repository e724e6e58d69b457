import { Inject, Injectable } from '@nestjs/common';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { unknownEvent } from '@plinth/messaging';
import { AgentsRepository } from '../agents';
import { identityOfUser } from '../askers';
import { McpDefaultsRepository } from '../mcp';
import { ThreadsRepository } from '../threads';

/** Takes what control-plane says of deployments and users. Each event takes effect once, whatever the number of deliveries. */
@Injectable()
export class EventsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly agents: AgentsRepository,
    private readonly mcpDefaults: McpDefaultsRepository,
    private readonly threads: ThreadsRepository,
  ) {}

  async deliver({ tenantId, events }: BodyOf<'deliverEventsToAgents'>): Promise<ReplyOf<'deliverEventsToAgents'>> {
    for (const { eventId, type, payload } of events) {
      const effect = this.effectOf(type, tenantId, payload);
      await this.database.applyOnce({ eventId, tenantId }, effect);
    }
    return {};
  }

  private effectOf(type: string, tenantId: number, payload: Record<string, unknown>) {
    switch (type) {
      case 'deployment.deleted': {
        const deploymentId = Number(payload['deploymentId']);
        return async (tx: Transaction): Promise<void> => {
          await this.agents.deleteOfDeployment(tx, deploymentId);
          await this.mcpDefaults.deleteOfDeployment(tx, deploymentId);
        };
      }
      case 'user.deleted': {
        const owner = identityOfUser(Number(payload['userId']));
        return (tx: Transaction): Promise<void> => this.threads.deleteOfOwner(tx, tenantId, owner);
      }
      default:
        throw unknownEvent(type);
    }
  }
}
