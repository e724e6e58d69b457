import { Inject, Injectable } from '@nestjs/common';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { unknownEvent } from '@plinth/messaging';
import { AgentsRepository } from '../agents';
import { McpDefaultsRepository } from '../mcp';

/** Takes what control-plane says of deployments. Each event takes effect once, whatever the number of deliveries. */
@Injectable()
export class EventsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly agents: AgentsRepository,
    private readonly mcpDefaults: McpDefaultsRepository,
  ) {}

  async deliver({ tenantId, events }: BodyOf<'deliverEventsToAgents'>): Promise<ReplyOf<'deliverEventsToAgents'>> {
    for (const { eventId, type, payload } of events) {
      if (type !== 'deployment.deleted') throw unknownEvent(type);
      const deploymentId = Number(payload['deploymentId']);
      await this.database.applyOnce({ eventId, tenantId }, async (tx) => {
        await this.agents.deleteOfDeployment(tx, deploymentId);
        await this.mcpDefaults.deleteOfDeployment(tx, deploymentId);
      });
    }
    return {};
  }
}
