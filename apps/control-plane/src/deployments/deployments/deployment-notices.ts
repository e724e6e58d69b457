import { Inject, Injectable } from '@nestjs/common';
import type { Transaction } from '@plinth/database';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';

/** Tells other services that something of a deployment is different. A lost notice costs what they may remember. */
@Injectable()
export class DeploymentNotices {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  /** Once the transaction has committed. */
  changedBy(tx: Transaction, deploymentId: number): void {
    tx.onCommit(() => this.bus.publish({ topic: 'control-plane.deployment.changed', payload: { deploymentId } }));
  }
}
