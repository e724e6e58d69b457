import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@plinth/database';
import { RepositoryNotFoundError, RepositoryStore, type BareRepository } from '@plinth/git';
import { RepositoriesRepository, type RepositorySettings } from './repositories.repository';
import { repositoryId } from './repository-id';

/** A deployment's data model, ready for use. */
export interface DataModel {
  settings: RepositorySettings;
  git: BareRepository;
}

/** The data models that are there; making one is the business of provisioning. */
@Injectable()
export class RepositoriesService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly repositories: RepositoriesRepository,
    private readonly store: RepositoryStore,
  ) {}

  async find(tenantId: number, deploymentId: number): Promise<DataModel | undefined> {
    const settings = await this.repositories.find(this.database, tenantId, deploymentId);
    return settings && { settings, git: await this.store.open(repositoryId(tenantId, deploymentId)) };
  }

  /** @throws RepositoryNotFoundError when the deployment has no data model, or has none any more */
  async openExisting(tenantId: number, deploymentId: number): Promise<DataModel> {
    const model = await this.find(tenantId, deploymentId);
    if (!model) throw new RepositoryNotFoundError(repositoryId(tenantId, deploymentId));
    return model;
  }
}
