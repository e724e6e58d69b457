interface Waiter {
  begin(): void;
}

export interface FairGateOptions {
  /** How many may be inside at a time. */
  width: number;
  /** How many of one caller may wait. */
  mostWaiting: number;
  /** The error for one more. */
  refusal: () => Error;
}

/** Lets work in, some at a time: one piece of each caller in turn, those of one caller in the order of arrival. */
export class FairGate {
  private inside = 0;
  private readonly waiting = new Map<string, Waiter[]>();

  constructor(private readonly options: FairGateOptions) {}

  /** Whether nobody is inside, and so nobody waits. */
  get idle(): boolean {
    return this.inside === 0;
  }

  /** @throws Error of the options, and the reason of the signal; the work has not begun then. */
  async run<T>(caller: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const leave = await this.enter(caller, signal);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /**
   * Resolves when it is the caller's turn, with the function that ends it; calling that again does nothing.
   *
   * @throws Error of the options, and the reason of the signal; nobody has entered then.
   */
  async enter(caller: string, signal?: AbortSignal): Promise<() => void> {
    if (this.inside < this.options.width) this.inside += 1;
    else await this.turn(caller, signal);
    let over = false;
    const leave = (): void => {
      if (over) return;
      over = true;
      this.pass();
    };
    if (!signal?.aborted) return leave;
    leave();
    throw signal.reason as Error;
  }

  private pass(): void {
    const next = this.next();
    if (next) next.begin();
    else this.inside -= 1;
  }

  private turn(caller: string, signal: AbortSignal | undefined): Promise<void> {
    const own = this.waiting.get(caller) ?? [];
    if (own.length >= this.options.mostWaiting) throw this.options.refusal();
    this.waiting.set(caller, own);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        begin: () => {
          signal?.removeEventListener('abort', leave);
          resolve();
        },
      };
      const leave = (): void => {
        own.splice(own.indexOf(waiter), 1);
        if (own.length === 0) this.waiting.delete(caller);
        reject(signal?.reason as Error);
      };
      own.push(waiter);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /** The first of the caller who has waited longest since his last turn; he goes to the end of the line. */
  private next(): Waiter | undefined {
    const [first] = this.waiting;
    if (!first) return undefined;
    const [caller, own] = first;
    const waiter = own.shift();
    this.waiting.delete(caller);
    if (own.length > 0) this.waiting.set(caller, own);
    return waiter;
  }
}
