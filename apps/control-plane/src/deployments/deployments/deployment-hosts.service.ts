import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@plinth/database';
import { DeploymentAddresses } from './deployment-addresses';
import { DeploymentsRepository, type DeploymentOfTenant } from './deployments.repository';

/** Which deployment a host name leads to. */
@Injectable()
export class DeploymentHosts {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly deployments: DeploymentsRepository,
    private readonly addresses: DeploymentAddresses,
  ) {}

  /** A host that the installation makes is never anybody's own domain. */
  async find(host: string): Promise<DeploymentOfTenant | undefined> {
    const facts = this.addresses.factsOf(host);
    return facts
      ? this.deployments.findGenerated(this.database, facts)
      : this.deployments.findByCustomDomain(this.database, host);
  }
}
