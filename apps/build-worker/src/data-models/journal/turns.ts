import { AppError } from '@plinth/errors';
import { FairGate } from '@plinth/tasks';

/** Whose work it is, and when it is of no use any more. */
export interface TurnRequest {
  /** Work with the same key runs one by one. */
  key: string;
  /** Callers with work under the same key take turns, however much work each of them has. */
  caller: string;
  /** Work that still waits when it is aborted is not begun. */
  signal?: AbortSignal | undefined;
}

/** How much work of one caller may wait under one key. */
const MOST_WAITING = 256;

/**
 * Who may write now. Writers of one repository go one by one, so that they hardly ever meet a moved reference; all of
 * them together hold no more than `width` database connections, so that what they wait for still gets one.
 */
export class Turns {
  private readonly gates = new Map<string, FairGate>();
  private readonly overall: FairGate;

  constructor(width: number) {
    this.overall = gateOf(width);
  }

  /** @throws AppError `request.rate_limited` (429), and the reason of the signal; the work has not begun then. */
  async run<T>({ key, caller, signal }: TurnRequest, work: () => Promise<T>): Promise<T> {
    const gate = this.gates.get(key) ?? gateOf(1);
    this.gates.set(key, gate);
    try {
      return await gate.run(caller, () => this.overall.run(key, work, signal), signal);
    } finally {
      if (gate.idle) this.gates.delete(key);
    }
  }
}

const gateOf = (width: number): FairGate => new FairGate({ width, mostWaiting: MOST_WAITING, refusal: tooManyWaiting });

const tooManyWaiting = (): AppError =>
  new AppError('request.rate_limited', 'Too many of your changes to this deployment are waiting: send fewer at once', {
    retryAfterSeconds: 1,
  });
