import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { deploymentNotFound } from './deployment-access';
import { DeploymentAddresses } from './deployment-addresses';
import { toDescription } from './deployment.entity';
import { DeploymentsRepository } from './deployments.repository';

/** What other services may ask about deployments. */
@Injectable()
export class DeploymentDirectoryService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly deployments: DeploymentsRepository,
    private readonly addresses: DeploymentAddresses,
  ) {}

  /** Not for clients: the caller is a service, acting inside the tenant of the principal. */
  async describe({ tenantId }: Principal, id: number): Promise<ReplyOf<'describeDeployment'>> {
    const deployment = await this.deployments.findDescribed(this.database, tenantId, id);
    if (!deployment) throw deploymentNotFound();
    return toDescription(deployment, this.addresses.baseUrl(deployment));
  }
}
