import { Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { Transaction } from '@plinth/database';
import type { ObjectId } from '@plinth/git';
import {
  type Branch,
  BranchesRepository,
  BranchFollowers,
  BranchRefs,
  type DataModel,
  devBranchName,
  DevSessionsRepository,
  type NewBranch,
} from '../../data-models';

/** Makes branches, and opens dev mode on them, as part of a transaction. */
@Injectable()
export class BranchForks {
  constructor(
    private readonly branches: BranchesRepository,
    private readonly refs: BranchRefs,
    private readonly sessions: DevSessionsRepository,
    private readonly followers: BranchFollowers,
  ) {}

  /** @throws AppError `branch.exists` (409) */
  async createShared(tx: Transaction, model: DataModel, name: string, from: Branch): Promise<Branch> {
    // A parent is never personal, so that everybody's work has somewhere to go.
    const parentId = from.kind === 'dev' ? from.parentId : from.id;
    const branch = await this.create(
      tx,
      model,
      { name, kind: 'shared', parentId },
      await this.refs.headOf(model, from),
    );
    await this.followers.moved(tx, branch.deploymentId, [name]);
    return branch;
  }

  /** A personal branch below `parent`, with the caller's session on it. */
  async enter(tx: Transaction, principal: Principal, model: DataModel, parent: Branch): Promise<Branch> {
    const owner = {
      ownerCredentialId: principal.credentialId,
      ownerUserId: principal.userId,
      ownerEmail: principal.email,
    };
    const fork = { ...owner, name: devBranchName(principal), kind: 'dev', parentId: parent.id } as const;
    const branch = await this.create(tx, model, fork, await this.refs.headOf(model, parent));
    await this.open(tx, principal, branch);
    return branch;
  }

  async open(tx: Transaction, { tenantId, credentialId }: Principal, branch: Branch): Promise<void> {
    await this.sessions.open(tx, { tenantId, deploymentId: branch.deploymentId, credentialId, branchId: branch.id });
  }

  private async create(
    tx: Transaction,
    model: DataModel,
    branch: Omit<NewBranch, 'tenantId' | 'deploymentId' | 'startCommit'>,
    startCommit: ObjectId,
  ): Promise<Branch> {
    const { tenantId, deploymentId } = model.settings;
    const created = await this.branches.insert(tx, { ...branch, tenantId, deploymentId, startCommit });
    await this.refs.place(tx, model, branch.name, startCommit);
    return created;
  }
}
