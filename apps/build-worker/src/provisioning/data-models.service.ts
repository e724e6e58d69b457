import { Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import { RepositoryNotFoundError } from '@plinth/git';
import { type BranchWrite, type DataModel, JournalService, RepositoriesService } from '../data-models';
import { ProvisioningService } from './provisioning.service';

/** The way to a deployment's data model for whoever serves a request: one that is not there yet is made. */
@Injectable()
export class DataModelsService {
  constructor(
    private readonly repositories: RepositoriesService,
    private readonly provisioning: ProvisioningService,
    private readonly journal: JournalService,
  ) {}

  /** @throws AppError `deployment.not_found` (404) */
  async open(tenantId: number, deploymentId: number): Promise<DataModel> {
    try {
      const model = await this.repositories.find(tenantId, deploymentId);
      if (model) return model;
      await this.provisioning.provision(tenantId, deploymentId);
      return await this.repositories.openExisting(tenantId, deploymentId);
    } catch (error) {
      // Whoever deletes the deployment may have been faster.
      if (error instanceof RepositoryNotFoundError) await this.provisioning.describe(tenantId, deploymentId);
      throw error;
    }
  }

  /**
   * Brings the settings of a data model up to date. A change of them arrives as an event, and whoever has just made one
   * expects what follows to go by it.
   *
   * @throws AppError `deployment.not_found` (404)
   */
  refresh(tenantId: number, deploymentId: number): Promise<void> {
    return this.provisioning.provision(tenantId, deploymentId);
  }

  /** Carries out what `plan` makes of the newest heads; see `JournalService.write`. */
  write<Reply>(
    principal: Principal,
    deploymentId: number,
    plan: (model: DataModel) => Promise<BranchWrite<Reply>>,
  ): Promise<Reply> {
    return this.journal.write(principal, deploymentId, async () => {
      const model = await this.open(principal.tenantId, deploymentId);
      return { model, write: await plan(model) };
    });
  }
}
