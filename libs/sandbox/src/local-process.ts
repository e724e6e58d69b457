import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { Exit, SandboxedProcess } from './program';

export interface LocalProcessOptions {
  /** Milliseconds until it is ended. */
  wallMs?: number | undefined;
  /** Asks the command with SIGTERM to end everything of it, instead of killing its process group. */
  endsItself?: boolean;
}

/** Of the tools that walls are built of, not of programs. */
const TOOLS = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
const SIGNALS = Object.keys(constants.signals) as NodeJS.Signals[];

/** A command of this machine, in a session of its own. */
export class LocalProcess implements SandboxedProcess {
  readonly exited: Promise<Exit>;
  private readonly child: ChildProcessWithoutNullStreams;
  private late = false;

  /** @throws Error when there is no such command, or no room for another process */
  constructor(
    [file = '', ...args]: readonly string[],
    private readonly options: LocalProcessOptions = {},
  ) {
    this.child = spawn(file, args, { env: TOOLS, cwd: '/', stdio: 'pipe', detached: true });
    this.exited = this.end();
    if (this.child.pid === undefined) throw new Error(`${file} cannot be started`);
    // A program that is gone says so by its exit.
    for (const stream of [this.stdin, this.stdout, this.stderr]) stream.on('error', () => undefined);
  }

  get stdin(): Writable {
    return this.child.stdin;
  }

  get stdout(): Readable {
    return this.child.stdout;
  }

  get stderr(): Readable {
    return this.child.stderr;
  }

  kill(): void {
    const { pid, exitCode, signalCode } = this.child;
    // The number of a process that is gone may be somebody else's.
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    if (this.options.endsItself) this.child.kill('SIGTERM');
    else process.kill(-pid, 'SIGKILL');
  }

  private async end(): Promise<Exit> {
    const timer = this.options.wallMs === undefined ? undefined : setTimeout(() => this.onLate(), this.options.wallMs);
    const exit = await new Promise<Exit>((resolve) => {
      this.child.once('error', (error) => resolve({ code: null, signal: null, error: error.message }));
      this.child.once('exit', (code, signal) => resolve(exitOf(code, signal)));
    });
    clearTimeout(timer);
    return this.late ? { ...exit, limit: 'wallTime' } : exit;
  }

  private onLate(): void {
    this.late = true;
    this.kill();
  }
}

/** A shell in between turns a signal into a code. */
function exitOf(code: number | null, killedBy: NodeJS.Signals | null): Exit {
  const signal = killedBy ?? SIGNALS.find((name) => constants.signals[name] + 128 === code);
  if (signal === undefined) return { code, signal: null };
  const exit = { code: null, signal };
  if (signal === 'SIGXCPU') return { ...exit, limit: 'cpuTime' };
  if (signal === 'SIGXFSZ') return { ...exit, limit: 'fileSize' };
  return exit;
}
