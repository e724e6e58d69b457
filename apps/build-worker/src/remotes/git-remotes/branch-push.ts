import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { RemoteRejectedError, RemoteTransport, upstreamRef, type ObjectId, type RemoteAccess } from '@plinth/git';
import { type Branch, BranchesRepository, BranchRefs, type DataModel } from '../../data-models';
import { BranchSync } from './branch-sync';

const ATTEMPTS = 3;

/** Brings one branch to the remote repository, and never over commits that are there and not here. */
@Injectable()
export class BranchPush {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly transport: RemoteTransport,
    private readonly branches: BranchesRepository,
    private readonly refs: BranchRefs,
    private readonly sync: BranchSync,
  ) {}

  /** Does nothing when the branch is gone by now, or there already. */
  async push(model: DataModel, access: RemoteAccess, name: string, signal?: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const branch = await this.branchOf(model, name);
      if (!branch) return;
      const newOid = await this.refs.headOf(model, branch);
      const oldOid = await model.git.resolveRef(upstreamRef(name));
      if (newOid === oldOid) return;
      try {
        if (oldOid && !(await model.git.isAncestor(oldOid, newOid))) throw behind();
        return await this.transport.push(model.git, access, { branch: name, newOid, oldOid }, signal);
      } catch (error) {
        if (!(error instanceof RemoteRejectedError && error.moved) || attempt === ATTEMPTS) throw error;
        const head = await this.upstreamHead(model, access, name, signal);
        await this.sync.follow(model, access, branch, { head, known: oldOid }, signal);
      }
    }
  }

  /** @throws AppError `branch.moved` when the remote branch holds commits that have never been here */
  async remove(model: DataModel, access: RemoteAccess, name: string, signal?: AbortSignal): Promise<void> {
    // Somebody made it again meanwhile.
    if (await this.branchOf(model, name)) return this.push(model, access, name, signal);
    const head = await this.upstreamHead(model, access, name, signal);
    const known = await model.git.resolveRef(upstreamRef(name));
    if (head !== null && known !== null && head !== known) {
      throw new AppError('branch.moved', 'It stays in the remote repository, where it has new commits');
    }
    if (head !== null)
      await this.transport.push(model.git, access, { branch: name, newOid: null, oldOid: head }, signal);
    else if (known) await model.git.updateRefs([{ ref: upstreamRef(name), oldOid: known, newOid: null }]);
  }

  private async branchOf({ settings }: DataModel, name: string): Promise<Branch | undefined> {
    const { tenantId, deploymentId } = settings;
    const branch = await this.database.transaction(tenantId, (tx) => this.branches.findByName(tx, deploymentId, name));
    return branch && branch.kind !== 'dev' ? branch : undefined;
  }

  private async upstreamHead(
    { git }: DataModel,
    access: RemoteAccess,
    name: string,
    signal?: AbortSignal,
  ): Promise<ObjectId | null> {
    const { branches } = await this.transport.list(git, access, signal);
    return branches.find((branch) => branch.name === name)?.head ?? null;
  }
}

const behind = (): RemoteRejectedError =>
  new RemoteRejectedError('The branch has moved in the remote repository.', true);
