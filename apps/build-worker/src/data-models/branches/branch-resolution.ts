import { Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import type { Branch } from './branch.entity';
import { BranchesRepository } from './branches.repository';

/** How requests name a branch; blank and null mean absent. */
export interface BranchSelector {
  branchName?: string | null | undefined;
  branchId?: number | null | undefined;
}

export const unknownBranch = (name: string | number): AppError =>
  new AppError('branch.not_found', `There is no branch ${name}`);

export const isBlank = (text: string | null | undefined): text is null | undefined | '' =>
  text === null || text === undefined || text.trim() === '';

/** The one place that decides which branch a request is about. */
@Injectable()
export class BranchResolution {
  constructor(private readonly branches: BranchesRepository) {}

  /**
   * The named branch, otherwise the one of the credential's dev mode, otherwise the deploy branch.
   *
   * @throws AppError `branch.not_found` (404)
   */
  async resolve(tx: Transaction, principal: Principal, deploymentId: number, by: BranchSelector): Promise<Branch> {
    return (
      (await this.named(tx, deploymentId, by)) ??
      (await this.opened(tx, principal, deploymentId)) ??
      (await this.deployBranch(tx, deploymentId))
    );
  }

  /** As `resolve`, for operations on which dev mode has no bearing. */
  async resolveShared(tx: Transaction, deploymentId: number, by: BranchSelector): Promise<Branch> {
    return (await this.named(tx, deploymentId, by)) ?? this.deployBranch(tx, deploymentId);
  }

  /** The branch that is named; undefined when none is. */
  async named(tx: Transaction, deploymentId: number, by: BranchSelector): Promise<Branch | undefined> {
    const { branchName, branchId } = by;
    if (!isBlank(branchName)) {
      const branch = await this.branches.findByName(tx, deploymentId, branchName);
      if (!branch || (branchId && branch.id !== branchId)) throw unknownBranch(branchName);
      return branch;
    }
    if (branchId === null || branchId === undefined) return undefined;
    const branch = await this.branches.findById(tx, deploymentId, branchId);
    if (!branch) throw unknownBranch(branchId);
    return branch;
  }

  async opened(tx: Transaction, { credentialId }: Principal, deploymentId: number): Promise<Branch | undefined> {
    return (await this.branches.findOpened(tx, deploymentId, credentialId)) ?? undefined;
  }

  private async deployBranch(tx: Transaction, deploymentId: number): Promise<Branch> {
    const branch = await this.branches.findDeployBranch(tx, deploymentId);
    if (!branch) throw unknownBranch('to deploy');
    return branch;
  }
}
