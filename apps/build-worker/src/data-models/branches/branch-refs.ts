import { Inject, Injectable } from '@nestjs/common';
import { Database, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { RefMovedError, RefNameConflictError, branchRef, type BareRepository, type ObjectId } from '@plinth/git';
import type { DataModel } from '../repositories/repositories.service';
import type { Branch } from './branch.entity';
import { BranchesRepository } from './branches.repository';

const PLACING_ATTEMPTS = 3;

/**
 * Keeps references in step with branch rows, which say what exists: a row without a reference gets one at its start,
 * and a reference without a row is a leftover of a crash that anybody may overwrite.
 */
@Injectable()
export class BranchRefs {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly branches: BranchesRepository,
  ) {}

  async headOf({ git }: DataModel, branch: Branch): Promise<ObjectId> {
    return (await git.head(branch.name)) ?? this.restore(git, branch);
  }

  /**
   * Makes the reference of a branch whose row is about to be committed: nobody else uses the name yet.
   *
   * @throws AppError `branch.exists` (409) when the name lies above or below another branch's
   */
  async place(tx: Transaction, { git, settings }: DataModel, name: string, commit: ObjectId): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        const leftover = await git.head(name);
        if (leftover !== commit) await git.updateRefs([{ ref: branchRef(name), newOid: commit, oldOid: leftover }]);
        return;
      } catch (error) {
        if (attempt === PLACING_ATTEMPTS) throw error;
        if (error instanceof RefNameConflictError) await this.clearTheWay(tx, git, error, settings.deploymentId);
        else if (!(error instanceof RefMovedError)) throw error;
      }
    }
  }

  /** Removes the reference of a branch whose row is gone; does nothing when it has moved since. */
  async discard(git: BareRepository, name: string, head: ObjectId): Promise<void> {
    await git.deleteBranch(name, head).catch((error: unknown) => {
      if (!(error instanceof RefMovedError)) throw error;
    });
  }

  private async clearTheWay(
    tx: Transaction,
    git: BareRepository,
    { ref, existing }: RefNameConflictError,
    deploymentId: number,
  ): Promise<void> {
    const other = existing.replace(/^refs\/heads\//, '');
    if (await this.branches.findByName(tx, deploymentId, other)) {
      const name = ref.replace(/^refs\/heads\//, '');
      throw new AppError('branch.exists', `${name} cannot be created while there is a branch ${other}`);
    }
    const head = await git.head(other);
    if (head) await this.discard(git, other, head);
  }

  private async restore(git: BareRepository, branch: Branch): Promise<ObjectId> {
    const { tenantId, deploymentId, name } = branch;
    if (await this.branches.isBeingWritten(this.database, tenantId, deploymentId, branchRef(name))) {
      throw new AppError('service.collision', `The branch ${name} is being changed`, { retryAfterSeconds: 1 });
    }
    try {
      await git.createBranch(name, branch.startCommit);
      return branch.startCommit;
    } catch (error) {
      if (error instanceof RefMovedError && error.actual) return error.actual;
      throw error;
    }
  }
}
