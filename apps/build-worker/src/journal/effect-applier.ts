import { Injectable } from '@nestjs/common';
import type { Transaction } from '@plinth/database';
import { BranchRemoval } from '../branches/branch-removal';
import { BuildQueue } from '../builds/build-queue';
import type { NewBuild } from '../builds/builds.repository';
import { DevSessionsRepository } from '../dev-mode/dev-sessions.repository';

interface DevSessionKey {
  deploymentId: number;
  credentialId: string;
  branchId: number;
}

/** What a write to git does to the database; kept as JSON until the references have moved. */
export interface WriteEffects {
  build?: NewBuild;
  removedBranchId?: number;
  endedSession?: DevSessionKey;
  movedSession?: DevSessionKey & { toBranchId: number };
}

@Injectable()
export class EffectApplier {
  constructor(
    private readonly builds: BuildQueue,
    private readonly removal: BranchRemoval,
    private readonly sessions: DevSessionsRepository,
  ) {}

  async apply(tx: Transaction, effects: WriteEffects): Promise<void> {
    const { build, removedBranchId, endedSession, movedSession } = effects;
    if (movedSession) await this.sessions.move(tx, movedSession);
    if (removedBranchId !== undefined) await this.removal.remove(tx, removedBranchId);
    if (endedSession) {
      const { deploymentId, credentialId, branchId } = endedSession;
      await this.sessions.end(tx, deploymentId, credentialId, branchId);
    }
    if (build) await this.builds.add(tx, build);
  }
}
