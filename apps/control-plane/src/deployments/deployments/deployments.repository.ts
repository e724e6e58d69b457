import { BaseRepository, type Database, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { type FindOptionsWhere, In, MoreThan, type SelectQueryBuilder } from 'typeorm';
import type { HostFacts } from './deployment-addresses';
import { Deployment, type DeploymentOutline, type DescribedDeployment } from './deployment.entity';

export type NewDeployment = Omit<Deployment, 'id' | 'createdAt' | 'updatedAt'>;

/** Which deployments a list is made of; null and undefined restrict nothing. */
export interface DeploymentFilter {
  ids: readonly number[] | null;
  creationSteps: readonly Deployment['creationStep'][] | undefined;
}

/** A deployment and whose it is, for who asks across tenants. */
export interface DeploymentOfTenant {
  deploymentId: number;
  tenantId: number;
  tenantName: string;
}

const DEPLOYMENT_OF_TENANT = `select d.id as "deploymentId", t.id as "tenantId", t.name as "tenantName"
  from deployment d join tenant t on t.id = d.tenant_id`;

const taken = {
  deployment_tenant_id_name_unique: () =>
    new AppError('deployment.name_taken', 'Another deployment has this name already'),
  deployment_custom_domain_unique: () =>
    new AppError('deployment.domain_taken', 'Another deployment has this domain already'),
};

export class DeploymentsRepository extends BaseRepository {
  /** The hot read of a single deployment. */
  async findOutline(database: Database, tenantId: number, id: number): Promise<DeploymentOutline | undefined> {
    const [outline] = await database.read<DeploymentOutline>(
      tenantId,
      {
        name: 'outline-of-deployment',
        text: `select id, name, region, custom_domain as "customDomain", creation_step as "creationStep"
               from deployment where id = $1`,
      },
      [id],
    );
    return outline;
  }

  /** The hot read of the build workers. */
  async findDescribed(database: Database, tenantId: number, id: number): Promise<DescribedDeployment | undefined> {
    const [described] = await database.read<DescribedDeployment>(
      tenantId,
      {
        name: 'description-of-deployment',
        text: `select id, tenant_id as "tenantId", name,
                 creation_method as "creationMethod", deploy_mode as "deployMode",
                 deploy_branch_name as "deployBranchName", deploy_branch_read_only as "deployBranchReadOnly",
                 deploy_branch_merge_allowed as "deployBranchMergeAllowed",
                 deploy_project_root as "deployProjectRoot"
               from deployment where id = $1`,
      },
      [id],
    );
    return described;
  }

  /** The deployment at a host that the installation has made for it. */
  async findGenerated(database: Database, { id, region }: HostFacts): Promise<DeploymentOfTenant | undefined> {
    const statement = {
      name: 'deployment-by-generated-host',
      text: `${DEPLOYMENT_OF_TENANT} where d.id = $1 and ($2::text is null or lower(d.region) = $2)`,
    };
    return (await database.readAsSystem<DeploymentOfTenant>(statement, [id, region ?? null]))[0];
  }

  async findByCustomDomain(database: Database, domain: string): Promise<DeploymentOfTenant | undefined> {
    const statement = {
      name: 'deployment-by-custom-domain',
      text: `${DEPLOYMENT_OF_TENANT} where d.custom_domain = $1`,
    };
    return (await database.readAsSystem<DeploymentOfTenant>(statement, [domain]))[0];
  }

  find(tx: Transaction, id: number): Promise<Deployment | null> {
    return this.managerFor(tx).findOneBy(Deployment, { id });
  }

  /** As {@link find}, and nobody else changes or deletes it before the transaction ends. */
  findForUpdate(tx: Transaction, id: number): Promise<Deployment | null> {
    return this.managerFor(tx).findOne(Deployment, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /** Oldest first, those after `afterId` when it is given. */
  listAfter(tx: Transaction, filter: DeploymentFilter, limit: number, afterId?: number): Promise<Deployment[]> {
    const query = this.matching(tx, filter).orderBy('deployment.id').limit(limit);
    return (afterId === undefined ? query : query.andWhere({ id: MoreThan(afterId) })).getMany();
  }

  listSlice(tx: Transaction, filter: DeploymentFilter, offset: number, limit: number): Promise<Deployment[]> {
    return this.matching(tx, filter).orderBy('deployment.id').offset(offset).limit(limit).getMany();
  }

  count(tx: Transaction, filter: DeploymentFilter): Promise<number> {
    return this.matching(tx, filter).getCount();
  }

  /** @throws AppError `deployment.name_taken`, `deployment.domain_taken` (409). */
  insert(tx: Transaction, deployment: NewDeployment): Promise<Deployment> {
    return this.save(tx, this.managerFor(tx).create(Deployment, deployment));
  }

  /** @throws AppError `deployment.name_taken`, `deployment.domain_taken` (409). */
  save(tx: Transaction, deployment: Deployment): Promise<Deployment> {
    return this.mapUnique(taken, () => this.managerFor(tx).save(deployment));
  }

  async delete(tx: Transaction, id: number): Promise<boolean> {
    const { affected } = await this.managerFor(tx).delete(Deployment, { id });
    return affected === 1;
  }

  private matching(tx: Transaction, { ids, creationSteps }: DeploymentFilter): SelectQueryBuilder<Deployment> {
    const where: FindOptionsWhere<Deployment> = {
      ...(ids && { id: In([...ids]) }),
      ...(creationSteps && { creationStep: In([...creationSteps]) }),
    };
    return this.managerFor(tx).createQueryBuilder(Deployment, 'deployment').where(where);
  }
}
