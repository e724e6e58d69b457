import type { ChainHead } from './audit-chain';
import type { Checkpoint, CheckpointSigner } from './checkpoint-signer';

export interface TrailParts {
  signer: CheckpointSigner;
  /** The next stored checkpoints after a number that count no more events than that, in their order. */
  read: (afterNumber: number, upToLength: number) => Promise<Checkpoint[]>;
  /** Those of the tenant that were kept outside the database. */
  kept: readonly Checkpoint[];
}

/** Compares a walk along a tenant's chain with its checkpoints: those of the table, and those kept elsewhere. */
export class CheckpointTrail {
  /** How many checkpoints agree with the events. */
  agreed = 0;
  private number = 0;
  private readonly kept: ReadonlyMap<number, Checkpoint>;

  constructor(
    private readonly parts: TrailParts,
    /** The last event that a checkpoint vouches for. */
    private anchor: ChainHead,
  ) {
    this.kept = new Map(parts.kept.map((checkpoint) => [checkpoint.number, checkpoint]));
  }

  /** The last event that a checkpoint vouches for. */
  get anchored(): ChainHead {
    return this.anchor;
  }

  /**
   * What is wrong with the checkpoints of events up to an id; undefined when nothing is.
   *
   * @param hashOf hash of an event that was walked over since the last call; undefined for one that is no longer kept.
   */
  async problemUpTo(length: number, hashOf: (id: number) => Buffer | undefined): Promise<string | undefined> {
    for (;;) {
      const some = await this.parts.read(this.number, length);
      if (some.length === 0) return undefined;
      for (const checkpoint of some) {
        const problem = this.problemOf(checkpoint, hashOf(checkpoint.length));
        if (problem !== undefined) return problem;
      }
    }
  }

  /** What checkpoints know of that the walk has not come to. Called at the end of the chain. */
  async problemAfter(length: number): Promise<string | undefined> {
    const [stored] = await this.parts.read(this.number, Number.MAX_SAFE_INTEGER);
    const missing = [...(stored ? [stored] : []), ...this.kept.values()]
      .filter((each) => each.length > length)
      .sort((left, right) => right.length - left.length)[0];
    if (missing) {
      const { number, signedAt } = missing;
      return `${missing.length - length} events are missing that checkpoint ${number} of ${signedAt} counts`;
    }
    const removed = [...this.kept.keys()].find((number) => number > this.number);
    return removed === undefined ? undefined : `checkpoint ${removed} was removed`;
  }

  private problemOf(checkpoint: Checkpoint, hash: Buffer | undefined): string | undefined {
    const { number, length, signedAt } = checkpoint;
    if (number !== this.number + 1) return `checkpoint ${this.number + 1} was removed`;
    const unsigned = this.parts.signer.problemOf(checkpoint);
    if (unsigned !== undefined) return unsigned;
    const kept = this.kept.get(number);
    if (kept && (kept.length !== length || kept.hash !== checkpoint.hash)) {
      return `checkpoint ${number} is not the one that was kept`;
    }
    if (hash && hash.toString('hex') !== checkpoint.hash) {
      return `the log was written anew: checkpoint ${number} of ${signedAt} was signed for other events`;
    }
    this.number = number;
    if (hash) {
      this.agreed += 1;
      this.anchor = { length, hash };
    }
    return undefined;
  }
}
