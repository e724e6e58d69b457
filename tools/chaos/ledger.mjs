/** What clients asked of one deployment, and what they were told: the truth that git is held against. */
export class Ledger {
  /** Every write ever sent, by the path that it alone creates. */
  writes = new Map();
  /** Request ids of every other mutation, and whether it was acknowledged. */
  others = new Map();
  /** Paths in the order of their acknowledgement. */
  acknowledged = [];
  /** How many of them an acknowledged commit, and an acknowledged merge, must hold. */
  committed = 0;
  merged = 0;

  constructor(id, devBranch) {
    this.id = id;
    this.devBranch = devBranch;
  }

  async write(write, send) {
    this.writes.set(write.path, write);
    if (!(await send())) return;
    write.acknowledged = true;
    this.acknowledged.push(write.path);
  }

  async commit(requestId, send) {
    const held = this.acknowledged.length;
    if (await this.#other(requestId, send)) this.committed = Math.max(this.committed, held);
  }

  async merge(requestId, send) {
    const held = this.committed;
    if (await this.#other(requestId, send)) this.merged = Math.max(this.merged, held);
  }

  async #other(requestId, send) {
    this.others.set(requestId, false);
    const done = (await send()) !== undefined;
    this.others.set(requestId, done);
    return done;
  }
}
