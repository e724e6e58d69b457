import { Inject, Injectable } from '@nestjs/common';
import { Database, type Transaction } from '@plinth/database';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { DeploymentAddresses } from './deployment-addresses';
import { DeploymentsRepository, type DeploymentOfTenant } from './deployments.repository';

/** Which deployment a host name leads to. */
@Injectable()
export class DeploymentHosts {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly deployments: DeploymentsRepository,
    private readonly addresses: DeploymentAddresses,
    @Inject(BUS) private readonly bus: Bus,
  ) {}

  /** A host that the installation makes is never anybody's own domain. */
  async find(host: string): Promise<DeploymentOfTenant | undefined> {
    const facts = this.addresses.factsOf(host);
    return facts
      ? this.deployments.findGenerated(this.database, facts)
      : this.deployments.findByCustomDomain(this.database, host);
  }

  /** Tells everybody, once the change of a deployment is committed, to look it up again. */
  announce(tx: Transaction, tenantId: number, deploymentId: number): void {
    const notice = { topic: 'control-plane.deployment.changed', payload: { tenantId, deploymentId } };
    tx.onCommit(() => this.bus.publish(notice));
  }
}
