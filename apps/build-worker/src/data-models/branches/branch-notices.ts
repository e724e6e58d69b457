import { Inject, Injectable } from '@nestjs/common';
import type { Transaction } from '@plinth/database';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';

/** Heard by those who remember what branches serve; they forget it. */
const CHANGED = 'build-worker.deployment.changed';

/** Tells other services that something of a deployment's branches or builds is different. A lost notice costs time alone. */
@Injectable()
export class BranchNotices {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  /** Once the transaction has committed. */
  changedBy(tx: Transaction, deploymentId: number): void {
    tx.onCommit(() => this.changed(deploymentId));
  }

  changed(deploymentId: number): void {
    this.bus.publish({ topic: CHANGED, payload: { deploymentId } });
  }
}
