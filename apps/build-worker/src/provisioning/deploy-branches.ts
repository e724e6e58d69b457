import { Injectable } from '@nestjs/common';
import type { Transaction } from '@plinth/database';
import type { ObjectId } from '@plinth/git';
import { type Branch, BranchesRepository, BranchFollowers, BranchRefs, type DataModel } from '../data-models';

/** Gives a deployment its deploy branch, in the transaction that records its settings. */
@Injectable()
export class DeployBranches {
  constructor(
    private readonly branches: BranchesRepository,
    private readonly refs: BranchRefs,
    private readonly followers: BranchFollowers,
  ) {}

  /** The first one; its reference is in place. */
  async begin(tx: Transaction, model: DataModel, head: ObjectId): Promise<void> {
    await this.insert(tx, model, head);
    await this.build(tx, model, head);
  }

  /** Another branch becomes the deploy branch, made if need be; the former one stays as a shared branch below it. */
  async change(tx: Transaction, model: DataModel): Promise<void> {
    const { deploymentId, deployBranchName } = model.settings;
    const former = await this.branches.findDeployBranch(tx, deploymentId);
    if (!former || former.name === deployBranchName) return;
    const formerHead = await this.refs.headOf(model, former);
    await this.branches.update(tx, former.id, { kind: 'shared' });
    const deploy = await this.promote(tx, model, formerHead);
    await this.branches.update(tx, former.id, { parentId: deploy.id });
    await this.build(tx, model, await this.refs.headOf(model, deploy));
    await this.followers.moved(tx, deploymentId, [deployBranchName]);
  }

  private async promote(tx: Transaction, model: DataModel, formerHead: ObjectId): Promise<Branch> {
    const { deploymentId, deployBranchName } = model.settings;
    const present = await this.branches.findByName(tx, deploymentId, deployBranchName);
    if (present) {
      await this.branches.update(tx, present.id, {
        kind: 'deploy',
        parentId: null,
        isStagingEnvironmentEnabled: false,
      });
      return present;
    }
    const created = await this.insert(tx, model, formerHead);
    await this.refs.place(tx, model, deployBranchName, formerHead);
    return created;
  }

  private insert(tx: Transaction, { settings }: DataModel, startCommit: ObjectId): Promise<Branch> {
    const { tenantId, deploymentId, deployBranchName: name } = settings;
    return this.branches.insert(tx, { tenantId, deploymentId, name, kind: 'deploy', parentId: null, startCommit });
  }

  private async build(tx: Transaction, { git, settings }: DataModel, commitHash: ObjectId): Promise<void> {
    const { tenantId, deploymentId, deployBranchName: branchName } = settings;
    const treeHash = await git.treeOf(commitHash);
    await this.followers.build(tx, { tenantId, deploymentId, branchName, commitHash, treeHash });
  }
}
