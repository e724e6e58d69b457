import { Injectable } from '@nestjs/common';
import type { Transaction } from '@plinth/database';
import { BranchFollowers } from '../branches/branch-followers';
import { BranchNotices } from '../branches/branch-notices';
import { BranchRemoval } from '../branches/branch-removal';
import { DEV_PREFIX } from '../branches/branch-rules';
import { DevSessionsRepository } from '../dev-mode/dev-sessions.repository';
import type { RefChange } from './intent-store';
import type { OwnedEffect, WriteEffects } from './write-effects';

/** False when the effect was there before: then it is the last of its write. */
type Apply<Details> = (tx: Transaction, details: Details) => Promise<boolean>;

@Injectable()
export class EffectApplier {
  private readonly owned = new Map<string, Apply<never>>();

  constructor(
    private readonly followers: BranchFollowers,
    private readonly removal: BranchRemoval,
    private readonly sessions: DevSessionsRepository,
    private readonly notices: BranchNotices,
  ) {}

  /** For the owner of an effect, when the service starts. */
  register<Details>(effect: OwnedEffect<Details>, apply: Apply<Details>): void {
    this.owned.set(effect.name, apply);
  }

  async apply(tx: Transaction, effects: WriteEffects): Promise<void> {
    for (const [name, details] of Object.entries(effects)) {
      if ((await this.owned.get(name)?.(tx, details as never)) === false) return;
    }
    const { build, removedBranchId, endedSession, movedSession } = effects;
    if (movedSession) await this.sessions.move(tx, movedSession);
    if (removedBranchId !== undefined) await this.removal.remove(tx, removedBranchId);
    if (endedSession) {
      const { deploymentId, credentialId, branchId } = endedSession;
      await this.sessions.end(tx, deploymentId, credentialId, branchId);
    }
    if (build) await this.followers.build(tx, build);
  }

  /** Followers hear of shared branches alone: personal ones are nobody else's business. */
  async passOn(tx: Transaction, deploymentId: number, refs: readonly RefChange[]): Promise<void> {
    this.notices.changedBy(tx, deploymentId);
    const names = refs
      .map(({ name }) => name.replace(/^refs\/heads\//, ''))
      .filter((name) => !name.startsWith(DEV_PREFIX));
    if (names.length > 0) await this.followers.moved(tx, deploymentId, names);
  }
}
