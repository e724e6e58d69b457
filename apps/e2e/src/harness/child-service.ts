import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { deadlineMs, until } from '@plinth/testing';

const root = resolve(__dirname, '../../../..');

/** Where the processes of a test run leave what belongs to the run: `tools/jest/start-servers.js` removes it. */
export const runFolder = (): string => process.env['PLINTH_TEST_FOLDER'] ?? '';

export interface ChildOptions {
  /** Path below dist/apps, for example `gateway/src/main.js`. */
  entry: string;
  environment: Record<string, string>;
  /** Text of the line that says that the process is ready. */
  readyText: string;
  timeoutMs?: number;
  /** A command that runs the process. */
  within?: readonly string[];
}

/** A process of the platform as tests see it, whichever test file started it. */
export class LoggedProcess {
  constructor(
    readonly pid: number,
    readonly logFile: string,
  ) {}

  /** What it has written so far. */
  get lines(): string[] {
    return readFileSync(this.logFile, 'utf8').split('\n').filter(Boolean);
  }
}

/** A process of the platform, started from the build as an operator would. */
export class ChildService extends LoggedProcess {
  private readonly exited: Promise<unknown>;

  private constructor(
    private readonly entry: string,
    private readonly process: ChildProcess,
    logFile: string,
  ) {
    super(process.pid ?? -1, logFile);
    this.exited = once(process, 'exit');
  }

  /** Starts the process and waits until it says that it is ready. */
  static async start(options: ChildOptions): Promise<ChildService> {
    const { entry, environment, within } = options;
    const service = ChildService.spawn(entry, environment, [], within);
    await service.waitForLine((line) => line.includes(options.readyText), options.timeoutMs ?? 60_000);
    return service;
  }

  /** Starts the process, and does not wait for it to be ready for anything. */
  static spawn(
    entry: string,
    environment: Record<string, string>,
    words: readonly string[] = [],
    within: readonly string[] = [],
  ): ChildService {
    const [file = '', ...args] = [...within, process.execPath, join(root, 'dist/apps', entry), ...words];
    const logFile = join(runFolder(), `${randomUUID()}.log`);
    const log = openSync(logFile, 'a');
    const child = spawn(file, args, {
      cwd: root,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: process.env['TMPDIR'], ...environment },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    // One that later test files share must not keep this process from ending.
    child.unref();
    return new ChildService(entry, child, logFile);
  }

  /** The first line, past or future, that satisfies. */
  async waitForLine(satisfied: (line: string) => boolean, timeoutMs = 30_000): Promise<string> {
    const ask = (): string | undefined => {
      const hasEnded = this.process.exitCode !== null;
      const line = this.lines.find(satisfied);
      if (line === undefined && hasEnded) throw this.failure('has ended');
      return line;
    };
    const isThere = (line: string | undefined): boolean => line !== undefined;
    const line = await until(`a line of ${this.entry}`, ask, isThere, timeoutMs).catch((error: unknown) => {
      throw this.failure(String(error));
    });
    return line ?? '';
  }

  kill(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }

  /** Waits for the end of the process, whatever ends it; its exit status, or null after a signal. */
  async ended(): Promise<number | null> {
    await this.exited;
    return this.process.exitCode;
  }

  async stop(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) this.process.kill('SIGTERM');
    const force = setTimeout(() => this.process.kill('SIGKILL'), deadlineMs(15_000));
    await this.exited;
    clearTimeout(force);
  }

  private failure(how: string): Error {
    return new Error(`${this.entry} did not get there: ${how}\n${this.lines.slice(-20).join('\n')}`);
  }
}

/** Ids of the processes that a process has started. */
export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

/** Whether there is such a process; one that only waits to be noted by its parent has ended. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
