import type { BuildRequest } from '../branches/branch-followers';

interface DevSessionKey {
  deploymentId: number;
  credentialId: string;
  branchId: number;
}

/**
 * What a write to git does to the database; kept as JSON until the references have moved. Beside these, those of
 * {@link OwnedEffect}.
 */
export interface WriteEffects {
  build?: BuildRequest;
  removedBranchId?: number;
  endedSession?: DevSessionKey;
  movedSession?: DevSessionKey & { toBranchId: number };
}

/** An effect of another domain, which registers with the applier what it does. `name` stands in the journal. */
export class OwnedEffect<Details> {
  constructor(readonly name: string) {}

  of(details: Details): WriteEffects {
    return { [this.name]: details } as WriteEffects;
  }
}
