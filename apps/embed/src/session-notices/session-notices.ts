import { Inject, Injectable } from '@nestjs/common';
import type { Transaction } from '@plinth/database';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';

/** Tells whoever remembers sessions that some are over, or of users in other groups. A lost notice costs what they may remember. */
@Injectable()
export class SessionNotices {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  /** Once the transaction has committed. */
  announce(tx: Transaction, tenantId: number): void {
    tx.onCommit(() => this.bus.publish({ topic: 'embed.session.changed', payload: { tenantId } }));
  }
}
