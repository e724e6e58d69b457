import { Inject, Injectable } from '@nestjs/common';
import type { Transaction } from '@plinth/database';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';

/** Tells gateways, which have content open for readers, that somebody may have lost sight of some of it. */
@Injectable()
export class ContentNotices {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  /** Once the transaction has committed. */
  announce(tx: Transaction): void {
    const { tenantId } = tx;
    tx.onCommit(() => this.bus.publish({ topic: 'workspace.content.changed', payload: { tenantId } }));
  }
}
