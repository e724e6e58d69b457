import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import { Database, type Transaction } from '@plinth/database';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';

/** Changes to what credentials stand for. */
@Injectable()
export class AccessChanges {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(BUS) private readonly bus: Bus,
  ) {}

  /** A mutation after which every gateway looks its callers up again, at once. */
  async mutate<Reply>(principal: Principal, work: (tx: Transaction) => Promise<Reply>): Promise<Reply> {
    const reply = await this.database.mutate(principal, work);
    this.announce(principal.tenantId);
    return reply;
  }

  /** Tells the gateways that credentials of the tenant have changed. A lost notice costs what they may remember. */
  announce(tenantId: number): void {
    this.bus.publish({ topic: 'control-plane.credential.changed', payload: { tenantId } });
  }
}
