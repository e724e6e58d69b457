import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { EngineOrder, EngineReport, PrepareOrder } from '@plinth/engine';
import { readLines, spawnOwned } from '@plinth/streams';
import { EngineFailed, ModelBroken, type EngineEnd, type EngineNews } from '../engine-driver';

/** Longest report, in bytes: what a model's YAML files become is the most that an engine has to say. */
const REPORT_LIMIT = 64 << 20;
/** Bytes of a line of its standard error: more than a log keeps, as secrets are found before it is cut. */
const ERROR_LINE_LIMIT = 1 << 16;

/** An engine's process, which may wait for its order, to its end. */
export class EngineProcess {
  readonly ended: Promise<EngineEnd>;
  private readonly child: ChildProcess;
  private readonly ready: Promise<void>;
  private settle!: { resolve: () => void; reject: (error: Error) => void };
  private isReady = false;
  private stopping = false;

  private onNews: (news: EngineNews) => void = () => undefined;

  constructor({ command, args }: { command: string; args: readonly string[] }, folder: string) {
    this.child = spawnOwned(command, args, {
      cwd: folder,
      env: { NODE_ENV: 'production', TZ: 'UTC' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.ready = new Promise((resolve, reject) => (this.settle = { resolve, reject }));
    this.ready.catch(() => undefined);
    this.ended = new Promise((resolve) => {
      const end = (code: number | null, signal: string | null): void =>
        resolve(this.endOf(signal ?? `status ${String(code)}`));
      this.child.once('exit', end);
      // Alone for one that could not be started.
      this.child.once('close', end);
    });
    const { stdout, stderr } = this.child;
    if (stdout) readLines(stdout, REPORT_LIMIT, (line) => this.hear(line));
    if (stderr) readLines(stderr, ERROR_LINE_LIMIT, (line) => this.complain(line));
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Has it load what it needs before its order comes. */
  prepare(order: PrepareOrder): void {
    this.say(order);
  }

  /**
   * Gives the order and resolves when the engine answers. Its standard input stays open: it ends when that ends, so that
   * no engine outlives its runtime.
   *
   * @throws ModelBroken, EngineFailed
   */
  async start(order: EngineOrder, onNews: (news: EngineNews) => void): Promise<void> {
    this.onNews = onNews;
    this.say(order);
    await this.ready;
  }

  async stop(graceMs: number): Promise<void> {
    this.stopping = true;
    this.child.kill('SIGTERM');
    const patience = new AbortController();
    const overdue = delay(graceMs, undefined, { signal: patience.signal }).then(
      () => this.child.kill('SIGKILL'),
      () => undefined,
    );
    await this.ended;
    patience.abort();
    await overdue;
  }

  private say(order: EngineOrder | PrepareOrder): void {
    this.child.stdin?.write(`${JSON.stringify(order)}\n`);
  }

  private hear(line: string): void {
    const report = reportIn(line);
    if (report?.kind === 'ready') {
      this.isReady = true;
      this.settle.resolve();
    } else if (report?.kind === 'broken') this.settle.reject(new ModelBroken(report.problems));
    else if (report?.kind === 'failed') this.settle.reject(new EngineFailed(report.message));
    else if (report && report.kind !== 'probed') this.onNews(report);
    else this.complain(line);
  }

  /** What nobody meant to say is for the log as well. */
  private complain(line: string): void {
    if (line.trim() === '') return;
    this.onNews({ kind: 'log', level: 'error', message: line, container: 'engine' });
  }

  private endOf(how: string): EngineEnd {
    this.settle.reject(new EngineFailed('The engine ended while it started'));
    if (this.stopping) return {};
    return { fault: this.isReady ? `The engine ended (${how})` : `The engine ended while it started (${how})` };
  }
}

/** What a line says; undefined for one that is no report. */
export function reportIn(line: string): EngineReport | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && 'kind' in value ? (value as EngineReport) : undefined;
  } catch {
    return undefined;
  }
}
