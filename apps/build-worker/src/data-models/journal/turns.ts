import { AppError } from '@plinth/errors';

/** Whose work it is, and when it is of no use any more. */
export interface TurnRequest {
  /** Work with the same key runs one by one. */
  key: string;
  /** Callers with work under the same key take turns, however much work each of them has. */
  caller: string;
  /** Work that still waits when it is aborted is not begun. */
  signal?: AbortSignal | undefined;
}

interface Waiter {
  begin(): void;
}

/** How much work of one caller may wait under one key. */
const MOST_WAITING = 256;

/** Lets work in, `width` at a time: one piece of each caller in turn, those of one caller in the order of arrival. */
class Gate {
  private running = 0;
  private readonly waiting = new Map<string, Waiter[]>();

  constructor(private readonly width: number) {}

  get idle(): boolean {
    return this.running === 0;
  }

  /** @throws AppError `request.rate_limited` (429), and the reason of the signal; the work has not begun then. */
  async run<T>(caller: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.running < this.width) this.running += 1;
    else await this.turn(caller, signal);
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      const next = this.next();
      if (next) next.begin();
      else this.running -= 1;
    }
  }

  private turn(caller: string, signal: AbortSignal | undefined): Promise<void> {
    const own = this.waiting.get(caller) ?? [];
    if (own.length >= MOST_WAITING) throw tooManyWaiting();
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

  /** @throws AppError `request.rate_limited` (429), and the reason of the signal; the work has not begun then. */
  async run<T>({ key, caller, signal }: TurnRequest, work: () => Promise<T>): Promise<T> {
    const gate = this.gates.get(key) ?? new Gate(1);
    this.gates.set(key, gate);
    try {
      return await gate.run(caller, () => this.overall.run(key, work, signal), signal);
    } finally {
      if (gate.idle) this.gates.delete(key);
    }
  }
}

const tooManyWaiting = (): AppError =>
  new AppError('request.rate_limited', 'Too many of your changes to this deployment are waiting: send fewer at once', {
    retryAfterSeconds: 1,
  });
