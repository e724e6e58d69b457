import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../../../..');

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

/** A process of the platform, started from the build as an operator would. */
export class ChildService {
  readonly lines: string[] = [];
  private readonly process: ChildProcess;
  private readonly exited: Promise<void>;

  private constructor(private readonly options: ChildOptions) {
    const [file = '', ...args] = [...(options.within ?? []), process.execPath, join(root, 'dist/apps', options.entry)];
    this.process = spawn(file, args, {
      cwd: root,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...options.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.exited = new Promise((done) => this.process.once('exit', () => done()));
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => this.lines.push(...text.split('\n').filter(Boolean)));
    }
  }

  /** Starts the process and waits until it says that it is ready. */
  static async start(options: ChildOptions): Promise<ChildService> {
    const service = new ChildService(options);
    await service.waitForLine((line) => line.includes(options.readyText), options.timeoutMs ?? 60_000);
    return service;
  }

  get pid(): number {
    return this.process.pid ?? -1;
  }

  /** The first line, past or future, that satisfies. */
  async waitForLine(satisfied: (line: string) => boolean, timeoutMs = 30_000): Promise<string> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const line = this.lines.find(satisfied);
      if (line !== undefined) return line;
      if (this.process.exitCode !== null || Date.now() > deadline) {
        throw new Error(`${this.options.entry} did not get there:\n${this.lines.slice(-20).join('\n')}`);
      }
      await new Promise((done) => setTimeout(done, 20));
    }
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
    const force = setTimeout(() => this.process.kill('SIGKILL'), 15_000);
    await this.exited;
    clearTimeout(force);
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

/** A port that nobody uses, for a process that has to come back on the same one. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
