/** Lets work of one kind run in turns: `width` at a time, in the order of arrival. */
class Gate {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly width: number) {}

  get idle(): boolean {
    return this.running === 0;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.width) this.running += 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}

/**
 * Who may write now. Writers of one repository go one by one, so that they hardly ever meet a moved reference; all of
 * them together hold no more than `width` database connections, so that what they wait for still gets one.
 */
export class Turns {
  private readonly gates = new Map<string, Gate>();
  private readonly overall: Gate;

  constructor(width: number) {
    this.overall = new Gate(width);
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const gate = this.gates.get(key) ?? new Gate(1);
    this.gates.set(key, gate);
    try {
      return await gate.run(() => this.overall.run(work));
    } finally {
      if (gate.idle) this.gates.delete(key);
    }
  }
}
