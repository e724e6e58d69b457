import { type Exit, type Sandbox, type SandboxedProcess, type SealedNode, sealedNode } from '@plinth/sandbox';
import type { ModelProblem } from '../protocol';
import type { ModelCall, ModelMessage, ModelStart } from './messages';
import { readReplies } from './replies';

export interface ModelLimits {
  /** Time of one call, in milliseconds. */
  callMs: number;
  /** Time to load, and to compile the model, in milliseconds. */
  startMs: number;
}

export type ModelReady = Extract<ModelMessage, { kind: 'ready' }>;

/** The process has gone. The message is a sentence for the model's author. */
export class ModelGone extends Error {
  constructor(
    message: string,
    /** Whether the call under way is not known to be the cause: it may be tried again. */
    readonly outside: boolean,
  ) {
    super(message);
    this.name = 'ModelGone';
  }
}

/** What the model, or the call, is to blame for. */
export class ModelRefusal extends Error {
  override readonly name = 'ModelRefusal';
}

/** The model does not compile. */
export class ModelRejected extends Error {
  constructor(readonly problems: readonly ModelProblem[]) {
    super(problems.map(({ message }) => message).join('\n'));
    this.name = 'ModelRejected';
  }
}

// V8 aborts or traps when it gets no memory; a shell in between turns the signal into a code.
const OUT_OF_MEMORY: readonly unknown[] = ['SIGABRT', 'SIGTRAP', 'SIGILL', 134, 133, 132];

const BROKEN = 'The data model broke its process';
/** An answer, and that it is idle. */
const MAX_UNHEARD = 2;

/** One model process, from its start to its end. It waits for its model, and then takes one call at a time. */
export class ModelChild {
  readonly gone: Promise<ModelGone>;
  private readonly child: SandboxedProcess;
  private end!: (reason: ModelGone) => void;
  private readonly heard: ModelMessage[] = [];
  private wake: (() => void) | undefined;
  private idle: Promise<unknown> = Promise.resolve();

  constructor(
    sandbox: Sandbox,
    program: SealedNode,
    private readonly limits: ModelLimits,
    printed: (chunk: Buffer) => void,
  ) {
    this.gone = new Promise((resolve) => (this.end = resolve));
    this.child = sandbox.start(sealedNode(program));
    void this.child.exited.then((exit) => this.end(reasonOf(exit, program.heapMb)));
    this.child.stderr.on('data', printed);
    readReplies(this.child.stdout, (message) => this.take(message));
  }

  /**
   * Gives it its model, once.
   *
   * @throws ModelRejected when the model does not compile
   * @throws ModelGone when the process had to be ended, or ended
   */
  begin(start: ModelStart): Promise<ModelReady> {
    const ready = this.started(start);
    this.idle = ready.then(() => this.untilIdle());
    this.idle.catch(() => undefined);
    return ready;
  }

  /**
   * @throws ModelRefusal what the model's code throws, and what is wrong with the question
   * @throws ModelGone when the process had to be ended, or ended
   */
  async perform(call: ModelCall): Promise<unknown> {
    await this.idle;
    const late = `The data model took longer than ${this.limits.callMs / 1_000} s and was stopped`;
    const message = await this.ask(call, this.limits.callMs, late);
    this.idle = this.untilIdle();
    this.idle.catch(() => undefined);
    if (message.kind === 'value') return message.value;
    if (message.kind === 'error') throw new ModelRefusal(message.message);
    return this.breakOff();
  }

  /** Kills it. */
  stop(): void {
    this.kill('The data model was stopped', true);
  }

  private async started(start: ModelStart): Promise<ModelReady> {
    const late = `The data model took longer than ${this.limits.startMs / 1_000} s to compile and was stopped`;
    const message = await this.ask(start, this.limits.startMs, late);
    if (message.kind === 'ready') return message;
    if (message.kind === 'broken') {
      this.kill('The data model does not compile', false);
      throw new ModelRejected(message.problems);
    }
    return this.breakOff();
  }

  private async untilIdle(): Promise<void> {
    const message = await this.ask(undefined, this.limits.callMs, 'The data model left something running');
    if (message.kind !== 'idle') this.breakOff();
  }

  private async ask(message: unknown, withinMs: number, late: string): Promise<ModelMessage> {
    const timer = setTimeout(() => this.kill(late, false), withinMs);
    if (message !== undefined) this.child.stdin.write(`${JSON.stringify(message)}\n`);
    try {
      return await Promise.race([this.next(), this.gone.then((reason) => Promise.reject(reason))]);
    } finally {
      clearTimeout(timer);
    }
  }

  private async next(): Promise<ModelMessage> {
    for (;;) {
      const message = this.heard.shift();
      if (message) return message;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  private take(message: ModelMessage | undefined): void {
    if (!message || this.heard.length >= MAX_UNHEARD) return this.kill(BROKEN, false);
    this.heard.push(message);
    this.wake?.();
  }

  private breakOff(): never {
    this.kill(BROKEN, false);
    throw new ModelGone(BROKEN, false);
  }

  private kill(reason: string, outside: boolean): void {
    this.end(new ModelGone(reason, outside));
    this.child.kill();
  }
}

function reasonOf({ code, signal, error }: Exit, heapMb: number): ModelGone {
  if (error !== undefined) return new ModelGone(`The data model could not be started: ${error}`, true);
  const status = signal ?? code;
  if (OUT_OF_MEMORY.includes(status))
    return new ModelGone(`The data model needs more than ${heapMb} MiB of memory and was stopped`, false);
  if (code === 0) return new ModelGone('The data model waits for something that never happens', false);
  return new ModelGone(`The data model's process ended (${status})`, true);
}
