import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawnOwned } from '@plinth/streams';
import { GitError } from './git-error';
import { configArguments } from './git-environment';

export interface SessionOptions {
  gitDir: string;
  binary: string;
  environment: Record<string, string>;
  /** Milliseconds without a request after which the child is ended. */
  idleMs: number;
}

const MAX_ERROR_TEXT = 4096;

/** One git child that serves many requests. It takes no more after `end()`, and answers those it has. */
export abstract class GitSession {
  /** Settles when the child is gone. */
  readonly closed: Promise<void>;
  private readonly child: ChildProcessWithoutNullStreams;
  private open = true;

  protected constructor(subcommand: string, args: readonly string[], options: SessionOptions) {
    const argv = [...configArguments(), `--git-dir=${options.gitDir}`, subcommand, ...args];
    // A child that dies first breaks its pipes; its exit is what gets reported.
    const child = spawnOwned(options.binary, argv, { env: options.environment, stdio: 'pipe' });
    this.child = child as ChildProcessWithoutNullStreams;
    let errorText = '';
    this.child.stderr.on('data', (chunk: Buffer) => {
      errorText = (errorText + chunk.toString()).slice(-MAX_ERROR_TEXT);
    });
    this.child.stdout.on('data', (chunk: Buffer) => this.onData(chunk));
    this.closed = new Promise((resolve) => {
      const settle = (reason: string) => {
        this.open = false;
        this.onExit(new GitError(subcommand, reason, errorText));
        resolve();
      };
      this.child.once('error', (error) => settle(error.message));
      this.child.once('close', (code, signal) => settle(`ended (${signal ?? code})`));
    });
  }

  get usable(): boolean {
    return this.open && this.child.exitCode === null && this.child.signalCode === null;
  }

  end(): void {
    this.open = false;
    this.child.stdin.end();
  }

  protected write(data: string): void {
    this.child.stdin.write(data);
  }

  protected abstract onData(chunk: Buffer): void;
  protected abstract onExit(failure: GitError): void;
}

/** Holds at most one live session: started on demand, replaced after a death, ended when idle. */
export class SessionSlot<S extends GitSession> {
  private session: S | undefined;
  private idle: NodeJS.Timeout | undefined;

  constructor(
    private readonly start: () => S,
    private readonly idleMs: number,
  ) {}

  use(): S {
    clearTimeout(this.idle);
    this.idle = setTimeout(() => void this.close(), this.idleMs).unref();
    if (!this.session?.usable) this.session = this.start();
    return this.session;
  }

  async close(): Promise<void> {
    clearTimeout(this.idle);
    const session = this.session;
    this.session = undefined;
    session?.end();
    await session?.closed;
  }
}
