interface Waiter {
  owner: string | undefined;
  enter(): void;
}

/**
 * Divides the compilations that run at the same time among owners: nobody holds the last slot who holds another already,
 * so that whoever keeps the compiler busy leaves room for the rest.
 */
export class CompileSlots {
  private readonly held = new Map<string | undefined, number>();
  private waiting: Waiter[] = [];
  private free: number;
  private readonly perOwner: number;

  constructor(size: number) {
    this.free = size;
    this.perOwner = Math.max(1, size - 1);
  }

  /** Resolves when it is the owner's turn, with what gives the slot back. */
  async enter(owner: string | undefined): Promise<() => void> {
    await new Promise<void>((enter) => {
      this.waiting.push({ owner, enter });
      this.admit();
    });
    return () => this.leave(owner);
  }

  private leave(owner: string | undefined): void {
    const left = this.heldBy(owner) - 1;
    if (left > 0) this.held.set(owner, left);
    else this.held.delete(owner);
    this.free += 1;
    this.admit();
  }

  /** Those who hold nothing go first, in the order in which they came. */
  private admit(): void {
    while (this.free > 0) {
      const next =
        this.waiting.find(({ owner }) => this.heldBy(owner) === 0) ??
        this.waiting.find(({ owner }) => this.heldBy(owner) < this.perOwner);
      if (!next) return;
      this.waiting = this.waiting.filter((waiter) => waiter !== next);
      this.free -= 1;
      this.held.set(next.owner, this.heldBy(next.owner) + 1);
      next.enter();
    }
  }

  private heldBy(owner: string | undefined): number {
    return this.held.get(owner) ?? 0;
  }
}
