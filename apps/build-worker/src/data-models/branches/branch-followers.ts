import { Injectable } from '@nestjs/common';
import type { Transaction } from '@plinth/database';
import type { ObjectId } from '@plinth/git';

/** A commit of a branch that is to be built. */
export interface BuildRequest {
  tenantId: number;
  deploymentId: number;
  branchName: string;
  commitHash: ObjectId;
  treeHash: ObjectId;
}

/** What another domain does about branches, in the transaction of their change. */
export interface BranchFollower {
  build?(tx: Transaction, request: BuildRequest): Promise<void>;
  moved?(tx: Transaction, deploymentId: number, branchNames: readonly string[]): Promise<void>;
  removed?(tx: Transaction, deploymentId: number, branchName: string): Promise<void>;
}

/** Tells those who have to do with branches what becomes of them; they register when the service starts. */
@Injectable()
export class BranchFollowers {
  private readonly followers: BranchFollower[] = [];

  register(follower: BranchFollower): void {
    this.followers.push(follower);
  }

  async build(tx: Transaction, request: BuildRequest): Promise<void> {
    for (const follower of this.followers) await follower.build?.(tx, request);
  }

  async moved(tx: Transaction, deploymentId: number, branchNames: readonly string[]): Promise<void> {
    for (const follower of this.followers) await follower.moved?.(tx, deploymentId, branchNames);
  }

  async removed(tx: Transaction, deploymentId: number, branchName: string): Promise<void> {
    for (const follower of this.followers) await follower.removed?.(tx, deploymentId, branchName);
  }
}
