import { Injectable } from '@nestjs/common';
import type { Transaction } from '@plinth/database';
import { BranchFollowers } from './branch-followers';
import { BranchesRepository } from './branches.repository';

/** What goes with a branch: its children get its parent, its sessions end, and its followers let go of it. */
@Injectable()
export class BranchRemoval {
  constructor(
    private readonly branches: BranchesRepository,
    private readonly followers: BranchFollowers,
  ) {}

  async remove(tx: Transaction, branchId: number): Promise<void> {
    const removed = await this.branches.remove(tx, branchId);
    if (removed) await this.followers.removed(tx, removed.deploymentId, removed.name);
  }
}
