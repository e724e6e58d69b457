import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { firstStep, requireForward } from './creation-steps';
import { deploymentNotFound } from '../secrets/deployment-errors';
import { DeploymentAddresses } from './deployment-addresses';
import { toContractDeployment, type Deployment } from './deployment.entity';
import { DeploymentsRepository } from './deployments.repository';

/** The guided setup of a deployment. */
@Injectable()
export class DeploymentSetupService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly deployments: DeploymentsRepository,
    private readonly addresses: DeploymentAddresses,
  ) {}

  advance(
    principal: Principal,
    id: number,
    { creationStep }: BodyOf<'advanceCreationStep'>,
  ): Promise<ReplyOf<'advanceCreationStep'>> {
    return this.move(principal, id, (present) => {
      requireForward(present, creationStep);
      return creationStep;
    });
  }

  reset(principal: Principal, id: number): Promise<ReplyOf<'resetCreationStep'>> {
    return this.move(principal, id, () => firstStep);
  }

  private async move(
    principal: Principal,
    id: number,
    next: (present: Deployment['creationStep']) => Deployment['creationStep'],
  ): Promise<ReplyOf<'advanceCreationStep'>> {
    return this.database.mutate(principal, async (tx) => {
      const deployment = await this.deployments.findForUpdate(tx, id);
      if (!deployment) throw deploymentNotFound();
      deployment.creationStep = next(deployment.creationStep);
      await this.deployments.save(tx, deployment);
      tx.emit('deployment.updated', { deploymentId: id });
      return toContractDeployment(deployment, this.addresses.baseUrl(deployment));
    });
  }
}
