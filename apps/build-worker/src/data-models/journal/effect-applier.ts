import { Injectable } from '@nestjs/common';
import type { RefChange, Transaction } from '@plinth/database';
import { BranchRemoval } from '../branches/branch-removal';
import { DEV_PREFIX } from '../branches/branch-rules';
import { BuildQueue } from '../../builds/build-queue';
import type { NewBuild } from '../../builds/builds.repository';
import { DevSessionsRepository } from '../dev-mode/dev-sessions.repository';
import type { RemoteConnection } from '../../remotes/git-remotes/git-remote.entity';
import { GitRemotesRepository } from '../../remotes/git-remotes/git-remotes.repository';
import { RemoteTasksRepository } from '../../remotes/git-remotes/remote-tasks.repository';
import { UploadsRepository } from '../../authoring/uploads/uploads.repository';

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
  connectedRemote?: RemoteConnection;
  finishedUpload?: { id: string; deploymentId: number; commit: string };
}

@Injectable()
export class EffectApplier {
  constructor(
    private readonly builds: BuildQueue,
    private readonly removal: BranchRemoval,
    private readonly sessions: DevSessionsRepository,
    private readonly remotes: GitRemotesRepository,
    private readonly remoteTasks: RemoteTasksRepository,
    private readonly uploads: UploadsRepository,
  ) {}

  async apply(tx: Transaction, effects: WriteEffects): Promise<void> {
    const { build, removedBranchId, endedSession, movedSession, finishedUpload } = effects;
    // Of two that finish the same upload without moving anything, one is enough.
    if (finishedUpload && !(await this.uploads.finish(tx, finishedUpload))) return;
    if (movedSession) await this.sessions.move(tx, movedSession);
    if (removedBranchId !== undefined) await this.removal.remove(tx, removedBranchId);
    if (endedSession) {
      const { deploymentId, credentialId, branchId } = endedSession;
      await this.sessions.end(tx, deploymentId, credentialId, branchId);
    }
    if (build) await this.builds.add(tx, build);
    if (effects.connectedRemote) await this.connect(tx, effects.connectedRemote);
  }

  /** What moved on branches that others share goes to the remote repository, when there is one. */
  async passOn(tx: Transaction, deploymentId: number, refs: readonly RefChange[]): Promise<void> {
    const names = refs
      .map(({ name }) => name.replace(/^refs\/heads\//, ''))
      .filter((name) => !name.startsWith(DEV_PREFIX));
    if (names.length > 0) await this.remoteTasks.requestPushes(tx, deploymentId, names);
  }

  private async connect(tx: Transaction, connection: RemoteConnection): Promise<void> {
    await this.remotes.connect(tx, connection);
    await this.remoteTasks.requestSync(tx, connection.deploymentId);
  }
}
