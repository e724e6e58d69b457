import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { type ChildEntry } from './child-entry';
import { type ChildMessage, type CompileJob, type CompileResult } from './compile-result';

/** Why a child had to be thrown away; the message is a sentence for the model's author. */
export class CompilerCrash extends Error {
  override readonly name = 'CompilerCrash';
}

export interface ProcessLimits {
  /** Milliseconds for one compilation. */
  timeoutMs: number;
  /** Old-space heap of a child in MiB. */
  memoryMb: number;
  /** Bytes that a child may print in its life. */
  outputBytes: number;
}

const LOAD_TIMEOUT_MS = 60_000;
// V8 aborts at its heap limit; a shell in between turns the signal into the code.
const OUT_OF_MEMORY = 'SIGABRT';
const OUT_OF_MEMORY_CODE = 134;

/** One sandboxed child. It compiles one model at a time and is of no use after its first failure. */
export class CompilerProcess {
  /** Whose code has run here: a child never serves a second owner. */
  owner: string | undefined;
  compiled = 0;
  busy = false;
  lastUsed = 0;

  private readonly child: ChildProcess;
  private readonly ready: Promise<void>;
  private readonly gone: Promise<void>;
  private crash: CompilerCrash | undefined;
  private loading = true;
  private printed = 0;
  private loaded: () => void = () => undefined;
  private job: { id: string; resolve(result: CompileResult): void } | undefined;
  private fail: (crash: CompilerCrash) => void = () => undefined;

  constructor(
    entry: ChildEntry,
    private readonly limits: ProcessLimits,
  ) {
    this.child = fork(entry.script, [], {
      env: {},
      cwd: tmpdir(),
      execArgv: execArguments(entry, limits),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.ready = new Promise((resolve) => (this.loaded = resolve));
    this.gone = new Promise((resolve) => this.child.once('close', () => resolve()));
    this.child.on('message', (message: ChildMessage) => this.onMessage(message));
    this.child.on('error', (error) => this.end(`The compiler could not be started: ${error.message}`));
    this.child.once('exit', (code, signal) => this.end(this.exitReason(code, signal)));
    this.child.stdout?.on('data', (chunk: Buffer) => this.onOutput(chunk));
    this.child.stderr?.on('data', (chunk: Buffer) => this.onOutput(chunk));
  }

  get usable(): boolean {
    return this.crash === undefined;
  }

  /** @throws CompilerCrash when the child had to be ended */
  async compile(job: Omit<CompileJob, 'id'>): Promise<CompileResult> {
    const failure = new Promise<never>((_, reject) => {
      this.fail = reject;
      if (this.crash) reject(this.crash);
    });
    failure.catch(() => undefined);
    await this.within(LOAD_TIMEOUT_MS, Promise.race([this.ready, failure]));
    const result = new Promise<CompileResult>((resolve) => {
      const id = randomUUID();
      this.job = { id, resolve };
      this.child.send({ ...job, id }, (error) => error && this.end('The compiler ended before it took the data model'));
    });
    this.compiled += 1;
    return this.within(this.limits.timeoutMs, Promise.race([result, failure]));
  }

  /** Kills the child and waits until it is gone. */
  async stop(): Promise<void> {
    this.end('The compiler is shutting down');
    await this.gone;
  }

  private async within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
    const seconds = timeoutMs / 1000;
    const timer = setTimeout(() => this.end(`Compilation took longer than ${seconds} s and was stopped`), timeoutMs);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  }

  private onMessage(message: ChildMessage): void {
    if (message.kind === 'ready') {
      this.loading = false;
      return this.loaded();
    }
    // Only the compiler knows the job's id: anything else was sent by model code.
    if (message.kind !== 'result' || message.id !== this.job?.id) return this.end('The data model broke its compiler');
    this.job.resolve(message.result);
    this.job = undefined;
  }

  private onOutput(chunk: Buffer): void {
    this.printed += chunk.length;
    if (this.printed > this.limits.outputBytes) this.end('The data model prints too much output');
  }

  private exitReason(code: number | null, signal: string | null): string {
    const status = signal ?? `exit code ${code}`;
    if (this.loading) return `The compiler could not be started (${status})`;
    if (signal === OUT_OF_MEMORY || code === OUT_OF_MEMORY_CODE) {
      return `Compilation needs more than ${this.limits.memoryMb} MiB of memory`;
    }
    return `The data model ended its compiler (${status})`;
  }

  private end(reason: string): void {
    if (this.crash) return;
    this.crash = new CompilerCrash(reason);
    this.child.kill('SIGKILL');
    this.fail(this.crash);
  }
}

/** Node's permission model refuses everything that is not allowed here: other files, writing, processes and threads. */
function execArguments(entry: ChildEntry, { memoryMb }: ProcessLimits): string[] {
  return [
    '--experimental-permission',
    ...entry.readable.map((folder) => `--allow-fs-read=${folder}/*`),
    ...(entry.native ? ['--allow-addons'] : []),
    `--max-old-space-size=${memoryMb}`,
    '--no-warnings',
  ];
}
