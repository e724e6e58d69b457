import { BaseRepository, type Database, type Transaction } from '@plinth/database';
import { Repository } from './repository.entity';

export type RepositorySettings = Omit<Repository, 'provisionedAt' | 'lastUploadCommit'>;

export class RepositoriesRepository extends BaseRepository {
  /** One prepared statement: every request on a data model begins with it. */
  async find(database: Database, tenantId: number, deploymentId: number): Promise<RepositorySettings | undefined> {
    const [settings] = await database.read<RepositorySettings>(
      tenantId,
      {
        name: 'repository-of-deployment',
        text: `select deployment_id as "deploymentId", tenant_id as "tenantId", deploy_mode as "deployMode",
                 deploy_branch_name as "deployBranchName", deploy_branch_read_only as "deployBranchReadOnly",
                 deploy_branch_merge_allowed as "deployBranchMergeAllowed", deploy_project_root as "deployProjectRoot"
               from repository where deployment_id = $1`,
      },
      [deploymentId],
    );
    return settings;
  }

  /** The row under a lock until the transaction ends. */
  lock(tx: Transaction, deploymentId: number): Promise<Repository | null> {
    return this.managerFor(tx).findOne(Repository, { where: { deploymentId }, lock: { mode: 'pessimistic_write' } });
  }

  /** Whether the row is new; somebody else may have made it meanwhile. */
  async insert(tx: Transaction, settings: RepositorySettings): Promise<boolean> {
    const { raw } = await this.managerFor(tx)
      .createQueryBuilder()
      .insert()
      .into(Repository)
      .values(settings)
      .orIgnore()
      .returning('deployment_id')
      .execute();
    return (raw as unknown[]).length === 1;
  }

  async update(tx: Transaction, { deploymentId, ...settings }: RepositorySettings): Promise<void> {
    await this.managerFor(tx).update(Repository, { deploymentId }, settings);
  }

  /** Takes the branches, sessions and builds along. */
  async delete(tx: Transaction, deploymentId: number): Promise<void> {
    await this.managerFor(tx).delete(Repository, { deploymentId });
  }

  async lastUploadCommit(tx: Transaction, deploymentId: number): Promise<string | null> {
    const repository = await this.managerFor(tx).findOneBy(Repository, { deploymentId });
    return repository?.lastUploadCommit ?? null;
  }
}
