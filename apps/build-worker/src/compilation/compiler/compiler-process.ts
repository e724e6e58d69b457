import { randomUUID } from 'node:crypto';
import { type Exit, type Sandbox, sealedNode, type SandboxedProcess } from '@plinth/sandbox';
import type { ChildEntry } from './child-entry';
import { ChildMessages } from './child-messages';
import { type ChildMessage, type CompileJob, type CompileResult } from './compile-result';
import { CompilerCrash, exitReason } from './compiler-crash';
import { Deadline } from './deadline';

export interface ProcessLimits {
  /** Milliseconds for one compilation, with a second attempt at it. */
  timeoutMs: number;
  /** Old-space heap of a child in MiB. */
  memoryMb: number;
  /** Bytes that may be printed during one compilation. */
  outputBytes: number;
}

const LOAD_TIMEOUT_MS = 60_000;
/** For a loaded child to begin a job: longer takes only one that is busy with what earlier code left behind. */
const BEGIN_TIMEOUT_MS = 5_000;

/** One sandboxed child. It compiles one model at a time and is of no use after its first failure. */
export class CompilerProcess {
  /** Whose code has run here: a child never serves a second owner. */
  owner: string | undefined;
  compiled = 0;
  busy = false;
  lastUsed = 0;

  private readonly child: SandboxedProcess;
  private readonly messages: ChildMessages;
  private readonly loaded = new Deferred<void>();
  private readonly crashed = new Deferred<never>();
  private crash: CompilerCrash | undefined;
  private printed = 0;
  private job: RunningJob | undefined;

  constructor(
    entry: ChildEntry,
    sandbox: Sandbox,
    private readonly limits: ProcessLimits,
  ) {
    this.child = sandbox.start(sealedNode({ ...entry, heapMb: limits.memoryMb }));
    this.crashed.promise.catch(() => undefined);
    void this.child.exited.then((exit) => this.onExit(exit));
    this.child.stderr.on('data', (chunk: Buffer) => this.onOutput(chunk));
    this.messages = new ChildMessages(this.child.stdout, (message) => this.onMessage(message));
  }

  get usable(): boolean {
    return this.crash === undefined;
  }

  /** @throws CompilerCrash when the child had to be ended */
  async compile(work: Omit<CompileJob, 'id'>, deadline = new Deadline(this.limits.timeoutMs)): Promise<CompileResult> {
    await this.within(LOAD_TIMEOUT_MS, 'The compiler did not start', this.loaded.promise);
    deadline.begin();
    const job = (this.job = new RunningJob());
    this.printed = 0;
    this.messages.expectJob();
    this.child.stdin.write(`${JSON.stringify({ ...work, id: job.id })}\n`);
    const beginMs = Math.min(BEGIN_TIMEOUT_MS, deadline.leftMs / 2);
    await this.within(beginMs, 'The compiler did not answer', job.begun.promise);
    this.compiled += 1;
    const late = `Compilation took longer than ${this.limits.timeoutMs / 1000} s and was stopped`;
    const result = await this.within(deadline.leftMs, late, job.result.promise);
    this.job = undefined;
    return result;
  }

  /** Kills the child and waits until it is gone. */
  async stop(): Promise<void> {
    this.endFromOutside('The compiler is shutting down');
    await this.child.exited;
  }

  private async within<T>(timeoutMs: number, reason: string, work: Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.end(reason), timeoutMs);
    try {
      return await Promise.race([work, this.crashed.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  private onMessage(message: ChildMessage | undefined): void {
    if (message?.kind === 'ready') return this.loaded.resolve();
    if (message && this.job?.take(message)) return;
    // The compiler itself says nothing out of turn: this was model code.
    this.end('The data model broke its compiler');
  }

  private onOutput(chunk: Buffer): void {
    this.printed += chunk.length;
    if (this.printed > this.limits.outputBytes) this.end('The data model prints too much output');
  }

  private onExit({ code, signal, error }: Exit): void {
    if (error !== undefined) return this.endFromOutside(`The compiler could not be started: ${error}`);
    const { reason, outside } = exitReason(code, signal, this.limits.memoryMb);
    if (outside) this.endFromOutside(reason);
    else this.end(reason);
  }

  private end(reason: string): void {
    this.endWith(new CompilerCrash(reason, this.job?.hasBegun === true, this.job?.file));
  }

  private endFromOutside(reason: string): void {
    this.endWith(new CompilerCrash(reason, false));
  }

  private endWith(crash: CompilerCrash): void {
    if (this.crash) return;
    this.crash = crash;
    this.child.kill();
    this.crashed.reject(crash);
  }
}

/** What is known of a compilation under way. */
class RunningJob {
  readonly id = randomUUID();
  readonly begun = new Deferred<void>();
  readonly result = new Deferred<CompileResult>();
  hasBegun = false;
  file: string | undefined;

  /** Whether the message belongs here. */
  take(message: ChildMessage): boolean {
    if (message.kind === 'file') this.file = message.path;
    else if (message.kind === 'ready' || message.id !== this.id) return false;
    else if (message.kind === 'result') this.result.resolve(message.result);
    else this.begin();
    return true;
  }

  private begin(): void {
    this.hasBegun = true;
    this.begun.resolve();
  }
}

class Deferred<T> {
  resolve!: (value: T) => void;
  reject!: (reason: unknown) => void;
  readonly promise = new Promise<T>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });
}
