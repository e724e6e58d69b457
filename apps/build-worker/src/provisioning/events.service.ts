import { Inject, Injectable } from '@nestjs/common';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { unknownEvent } from '@plinth/messaging';
import { ProvisioningService, type Recording } from './provisioning.service';

type Event = BodyOf<'deliverEventsToBuildWorker'>['events'][number];

/** Takes what control-plane says of deployments. Each event takes effect once, whatever the number of deliveries. */
@Injectable()
export class EventsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly provisioning: ProvisioningService,
  ) {}

  async deliver({
    tenantId,
    events,
  }: BodyOf<'deliverEventsToBuildWorker'>): Promise<ReplyOf<'deliverEventsToBuildWorker'>> {
    for (const event of events) await this.apply(tenantId, event);
    return {};
  }

  private async apply(tenantId: number, { eventId, type, payload }: Event): Promise<void> {
    const deploymentId = Number(payload['deploymentId']);
    const event = { eventId, tenantId };
    switch (type) {
      case 'deployment.created':
      case 'deployment.updated':
        await this.database.applyOnce(event, await this.recording(tenantId, deploymentId));
        break;
      case 'deployment.deleted':
        await this.database.applyOnce(event, (tx) => this.provisioning.forget(tx, deploymentId));
        // Again on every delivery: the process may have died between the commit and this.
        await this.provisioning.removeFiles(tenantId, deploymentId);
        break;
      default:
        throw unknownEvent(type);
    }
  }

  /** Nothing is left to record of a deployment that is gone already. */
  private async recording(tenantId: number, deploymentId: number): Promise<Recording> {
    try {
      return await this.provisioning.prepare(tenantId, deploymentId);
    } catch (error) {
      if (error instanceof AppError && error.code === 'deployment.not_found') return () => Promise.resolve();
      throw error;
    }
  }
}
