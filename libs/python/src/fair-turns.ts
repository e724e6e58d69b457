/** Too many are waiting already. */
export class TurnsFull extends Error {
  override readonly name = 'TurnsFull';
}

export interface TurnLimits {
  /** Work that is done at the same time. */
  simultaneous: number;
  /** Work of one owner that is done or waits. */
  mostOfOwner: number;
  /** Work that is done or waits. */
  most: number;
}

interface Waiting {
  owner: string;
  begin: () => void;
}

/** Work of several owners in turn: whoever has least under way goes next, and of those who has waited longest. */
export class FairTurns {
  private readonly underWay = new Map<string, number>();
  private readonly waiting: Waiting[] = [];
  private working = 0;

  constructor(private readonly limits: TurnLimits) {}

  /**
   * Does the work when it is its turn.
   *
   * @throws TurnsFull at once when the owner, or all together, have too much waiting
   * @throws the reason of the signal, when it is aborted before the work begins
   */
  async take<T>(owner: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.turnOf(owner, signal);
    try {
      // Who left in the moment between their turn and their work hears of it here.
      signal.throwIfAborted();
      return await work();
    } finally {
      this.working -= 1;
      this.count(owner, -1);
      this.next();
    }
  }

  private async turnOf(owner: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const ofOwner = this.waiting.filter((each) => each.owner === owner).length + (this.underWay.get(owner) ?? 0);
    if (ofOwner >= this.limits.mostOfOwner || this.waiting.length + this.working >= this.limits.most)
      throw new TurnsFull('Too many are waiting');
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        this.waiting.splice(this.waiting.indexOf(entry), 1);
        reject(signal.reason);
      };
      const entry: Waiting = {
        owner,
        begin: () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.waiting.push(entry);
      this.next();
    });
  }

  private next(): void {
    if (this.working >= this.limits.simultaneous) return;
    const loads = this.waiting.map(({ owner }) => this.underWay.get(owner) ?? 0);
    const [chosen] = this.waiting.splice(loads.indexOf(Math.min(...loads)), 1);
    if (!chosen) return;
    this.working += 1;
    this.count(chosen.owner, 1);
    chosen.begin();
  }

  private count(owner: string, change: number): void {
    const count = (this.underWay.get(owner) ?? 0) + change;
    if (count > 0) this.underWay.set(owner, count);
    else this.underWay.delete(owner);
  }
}
