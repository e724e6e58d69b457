import { BaseRepository, type Database, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { MoreThan } from 'typeorm';
import { Branch } from './branch.entity';

export type NewBranch = Pick<Branch, 'tenantId' | 'deploymentId' | 'name' | 'kind' | 'parentId' | 'startCommit'> &
  Partial<Pick<Branch, 'ownerCredentialId' | 'ownerUserId' | 'ownerEmail'>>;

export class BranchesRepository extends BaseRepository {
  private readonly listeners: (() => void)[] = [];

  /** Calls the listener whenever a commit of this process has changed which branches there are, or what they are. */
  onChanged(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** In the order of their creation, those younger than `afterId` when it is given; all of them without `limit`. */
  list(tx: Transaction, deploymentId: number, limit?: number, afterId?: number): Promise<Branch[]> {
    return this.managerFor(tx).find(Branch, {
      where: { deploymentId, ...(afterId !== undefined && { id: MoreThan(afterId) }) },
      relations: { parent: true },
      order: { id: 'ASC' },
      ...(limit !== undefined && { take: limit }),
    });
  }

  findByName(tx: Transaction, deploymentId: number, name: string): Promise<Branch | null> {
    return this.managerFor(tx).findOne(Branch, { where: { deploymentId, name }, relations: { parent: true } });
  }

  findById(tx: Transaction, deploymentId: number, id: number): Promise<Branch | null> {
    return this.managerFor(tx).findOne(Branch, { where: { deploymentId, id }, relations: { parent: true } });
  }

  findDeployBranch(tx: Transaction, deploymentId: number): Promise<Branch | null> {
    return this.managerFor(tx).findOneBy(Branch, { deploymentId, kind: 'deploy' });
  }

  /** The branch of the credential's dev mode. */
  findOpened(tx: Transaction, deploymentId: number, credentialId: string): Promise<Branch | null> {
    return this.managerFor(tx)
      .createQueryBuilder(Branch, 'branch')
      .leftJoinAndSelect('branch.parent', 'parent')
      .innerJoin('dev_session', 'session', 'session.branch_id = branch.id')
      .where('session.deployment_id = :deploymentId and session.credential_id = :credentialId')
      .setParameters({ deploymentId, credentialId })
      .getOne();
  }

  /** @throws AppError `branch.exists` (409) */
  insert(tx: Transaction, branch: NewBranch): Promise<Branch> {
    const taken = () => new AppError('branch.exists', `A branch ${branch.name} exists already`);
    this.tell(tx);
    return this.mapUnique({ branch_tenant_id_deployment_id_name_unique: taken }, async () => {
      const { identifiers } = await this.managerFor(tx).insert(Branch, branch);
      return this.managerFor(tx).findOneOrFail(Branch, {
        where: { id: identifiers[0]?.id as number },
        relations: { parent: true },
      });
    });
  }

  async update(
    tx: Transaction,
    id: number,
    values: Partial<Pick<Branch, 'kind' | 'parentId' | 'isStagingEnvironmentEnabled'>>,
  ): Promise<void> {
    this.tell(tx);
    await this.managerFor(tx).update(Branch, { id }, values);
  }

  /** Removes the branch; its children become those of its own parent, and sessions on it end. */
  async remove(tx: Transaction, id: number): Promise<{ deploymentId: number; name: string } | undefined> {
    const manager = this.managerFor(tx);
    this.tell(tx);
    await manager.query(
      'update branch set parent_id = (select parent_id from branch where id = $1) where parent_id = $1',
      [id],
    );
    const [rows] = (await manager.query(
      'delete from branch where id = $1 returning deployment_id as "deploymentId", name',
      [id],
    )) as [{ deploymentId: number; name: string }[]];
    return rows[0];
  }

  /** Whether an unfinished write is about this reference. */
  async isBeingWritten(database: Database, tenantId: number, deploymentId: number, ref: string): Promise<boolean> {
    const rows = await database.read(
      tenantId,
      {
        name: 'reference-has-intent',
        text: 'select 1 from intent where deployment_id = $1 and refs @> $2::jsonb limit 1',
      },
      [deploymentId, JSON.stringify([{ name: ref }])],
    );
    return rows.length > 0;
  }

  private tell(tx: Transaction): void {
    tx.onCommit(() => this.listeners.forEach((listener) => listener()));
  }
}
