import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { isForward } from './creation-steps';
import { deploymentNotFound } from '../secrets/deployment-errors';
import { DeploymentAddresses } from './deployment-addresses';
import { toContractDeployment, toDescription } from './deployment.entity';
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
    return toDescription(deployment);
  }

  /**
   * A build worker has connected the deployment to a remote repository. The setup of a deployment that is further on
   * stays where it is.
   */
  recordSource(
    { tenantId }: Principal,
    { deploymentId, ...source }: BodyOf<'recordDeploymentSource'>,
  ): Promise<ReplyOf<'recordDeploymentSource'>> {
    return this.database.transaction(tenantId, async (tx) => {
      const deployment = await this.deployments.findForUpdate(tx, deploymentId);
      if (!deployment) throw deploymentNotFound();
      const step = source.creationMethod;
      const creationStep = isForward(deployment.creationStep, step) ? step : deployment.creationStep;
      await this.deployments.save(tx, Object.assign(deployment, source, { creationStep }));
      tx.emit('deployment.updated', { deploymentId });
      return toContractDeployment(deployment, this.addresses.baseUrl(deployment));
    });
  }
}
