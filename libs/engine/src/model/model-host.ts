import { setTimeout as wait } from 'node:timers/promises';
import type { Sandbox, SealedNode } from '@plinth/sandbox';
import type { ModelCall, ModelFeatures, ModelMethod, ModelStart } from './messages';
import { ModelChild, ModelGone, type ModelLimits, type ModelReady, ModelRejected } from './model-child';

export interface ModelHostOptions {
  sandbox: Sandbox;
  program: SealedNode;
  limits: ModelLimits;
  /** What the model prints. */
  printed(chunk: Buffer): void;
  /** Why a process had to be replaced. */
  replaced(reason: string): void;
}

interface Waiting {
  call: ModelCall;
  retried: boolean;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface Begun {
  child: ModelChild;
  ready: ModelReady;
  /** What it was given. */
  model: ModelStart;
}

/** Between the ends of processes that end soon after their start. */
const PAUSE_MS = 1_000;
const LIVED_MS = 5_000;

/**
 * Calls of one deployment's model, which are answered in turn, by one model process after another: the end of a process
 * fails the call that is to blame for it, and no other.
 */
export class ModelHost {
  private readonly waiting: Waiting[] = [];
  private wake: (() => void) | undefined;
  private child: ModelChild | undefined;
  private serving: Promise<void> = Promise.resolve();
  private readonly stopping = new AbortController();

  constructor(private readonly options: ModelHostOptions) {}

  /** Starts the first process, which waits for its model. */
  prepare(): void {
    this.child = this.newChild();
  }

  /**
   * Has the first process compile its model.
   *
   * @throws ModelRejected when the model does not compile
   * @throws ModelGone when it cannot be run
   */
  async start(
    model: ModelStart,
  ): Promise<{ features: ModelFeatures; transpiled: [string, string][]; warnings: string[] }> {
    const { child, ready, model: used } = await this.firstChild(model);
    this.serving = this.run(child, { ...used, transpiled: [...used.transpiled, ...ready.transpiled] });
    return ready;
  }

  /**
   * What was handed over may be at fault, and is left out then: it is worth time and nothing else. A process that was ended
   * from outside, perhaps long ago, is replaced once.
   */
  private async firstChild(model: ModelStart, again = true): Promise<Begun> {
    const child = (this.child ??= this.newChild());
    try {
      return { child, ready: await child.begin(model), model };
    } catch (error) {
      const isDoubtful = error instanceof ModelRejected && (model.checked || model.transpiled.length > 0);
      const isLost = error instanceof ModelGone && error.outside && again;
      if (this.stopped || !(isDoubtful || isLost)) throw error;
      this.prepare();
      return this.firstChild(isDoubtful ? { ...model, transpiled: [], checked: false } : model, false);
    }
  }

  /**
   * @throws ModelRefusal what the model's code throws, and what is wrong with the question
   * @throws ModelGone when the call made its process end, or two processes have ended under it
   */
  call(method: ModelMethod, ...args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.stopped) return reject(new ModelGone('The data model was stopped', true));
      this.waiting.push({ call: { method, args }, retried: false, resolve, reject });
      this.wake?.();
    });
  }

  /** Kills the process. Once this is fulfilled, no other one is started. */
  stop(): Promise<void> {
    this.stopping.abort();
    this.child?.stop();
    for (const { reject } of this.waiting.splice(0)) reject(new ModelGone('The data model was stopped', true));
    this.wake?.();
    return this.serving;
  }

  private get stopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private newChild(): ModelChild {
    const { sandbox, program, limits, printed } = this.options;
    return new ModelChild(sandbox, program, limits, printed);
  }

  private begunChild(model: ModelStart): ModelChild {
    const child = this.newChild();
    child.begin(model).catch(() => undefined);
    return child;
  }

  private async run(first: ModelChild, model: ModelStart): Promise<void> {
    for (let child = first; ; child = this.child = this.begunChild(model)) {
      const began = Date.now();
      const reason = await this.serve(child);
      if (this.stopped) return;
      this.options.replaced(reason.message);
      if (Date.now() - began < LIVED_MS) await wait(PAUSE_MS, undefined, this.stopping).catch(() => undefined);
      if (this.stopped) return;
    }
  }

  /** Until the process has gone. */
  private async serve(child: ModelChild): Promise<ModelGone> {
    let reason: ModelGone | undefined;
    void child.gone.then((why) => {
      reason = why;
      this.wake?.();
    });
    while (!reason) {
      const next = this.waiting.shift();
      if (next) await this.answer(child, next);
      else await new Promise<void>((resolve) => (this.wake = resolve));
    }
    return reason;
  }

  private async answer(child: ModelChild, asked: Waiting): Promise<void> {
    try {
      asked.resolve(await child.perform(asked.call));
    } catch (error) {
      const again = error instanceof ModelGone && error.outside && !asked.retried && !this.stopped;
      if (!again) return asked.reject(error);
      asked.retried = true;
      this.waiting.unshift(asked);
    }
  }
}
