import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@plinth/database';
import { RepositoryNotFoundError, RepositoryStore, type BareRepository } from '@plinth/git';
import { ProvisioningService } from '../../provisioning/provisioning.service';
import { RepositoriesRepository, type RepositorySettings } from './repositories.repository';
import { repositoryId } from './repository-id';

/** A deployment's data model, ready for use. */
export interface DataModel {
  settings: RepositorySettings;
  git: BareRepository;
}

@Injectable()
export class RepositoriesService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly repositories: RepositoriesRepository,
    private readonly store: RepositoryStore,
    private readonly provisioning: ProvisioningService,
  ) {}

  /**
   * Opens the data model of a deployment, and makes it when this is its first use.
   *
   * @throws AppError `deployment.not_found` (404)
   */
  async open(tenantId: number, deploymentId: number): Promise<DataModel> {
    const settings = await this.repositories.find(this.database, tenantId, deploymentId);
    if (settings) return { settings, git: await this.store.open(repositoryId(tenantId, deploymentId)) };
    await this.provisioning.provision(tenantId, deploymentId);
    return this.openExisting(tenantId, deploymentId);
  }

  /** @throws RepositoryNotFoundError when the deployment has no data model, or has none any more */
  async openExisting(tenantId: number, deploymentId: number): Promise<DataModel> {
    const id = repositoryId(tenantId, deploymentId);
    const settings = await this.repositories.find(this.database, tenantId, deploymentId);
    if (!settings) throw new RepositoryNotFoundError(id);
    return { settings, git: await this.store.open(id) };
  }
}
