import { Injectable } from '@nestjs/common';
import type { Transaction } from '@plinth/database';
import { BuildsRepository } from '../../builds/builds.repository';
import { BranchesRepository } from './branches.repository';

/** What goes with a branch: its children get its parent, its sessions end, its waiting builds are cancelled. */
@Injectable()
export class BranchRemoval {
  constructor(
    private readonly branches: BranchesRepository,
    private readonly builds: BuildsRepository,
  ) {}

  async remove(tx: Transaction, branchId: number): Promise<void> {
    const removed = await this.branches.remove(tx, branchId);
    if (removed) await this.builds.cancelQueued(tx, removed.deploymentId, removed.name);
  }
}
