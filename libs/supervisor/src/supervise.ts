import { fork, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds before each start after ends that follow close upon each other; when they are used up, it gives up. */
const BACK_OFF_MS = [0, 1_000, 5_000, 15_000, 30_000];
/** A child that has served for so long is not one that cannot run. */
const SOUND_AFTER_MS = 60_000;

interface End {
  status: number;
  /** Milliseconds that it served; undefined when it was never ready. */
  servedMs: number | undefined;
}

/**
 * Runs a program as a child, and again when it ends unasked after it was ready: it says so with the message `ready`.
 * This process ends with the child's status when the first start fails, when the child ends in order, and when it keeps
 * ending. SIGTERM and SIGINT are passed on; when this process is killed, the child hears it by the end of its channel.
 */
export async function supervise(program: string, args: readonly string[]): Promise<never> {
  const supervisor = new Supervisor(program, args);
  process.exit(await supervisor.run());
}

/** What {@link supervise} does, but for the end of this process. */
export class Supervisor {
  private child: ChildProcess | undefined;
  private readonly stopping = new AbortController();

  constructor(
    private readonly program: string,
    private readonly args: readonly string[],
    private readonly backOffMs: readonly number[] = BACK_OFF_MS,
  ) {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.stop(signal));
  }

  /** The status with which this process is to end. */
  async run(): Promise<number> {
    for (let start = 1, inARow = 0; ; start++) {
      const { status, servedMs } = await this.runOnce();
      const failedAtFirst = start === 1 && servedMs === undefined;
      if (status === 0 || failedAtFirst || this.stopping.signal.aborted) return status;
      inARow = (servedMs ?? 0) > SOUND_AFTER_MS ? 1 : inARow + 1;
      const pauseMs = this.backOffMs[inARow - 1];
      if (pauseMs === undefined) return status;
      process.stderr.write(`The process ended with status ${status} and is started again.\n`);
      const goesOn = await delay(pauseMs, true, { signal: this.stopping.signal }).catch(() => false);
      if (!goesOn) return 0;
    }
  }

  private runOnce(): Promise<End> {
    return new Promise((resolve) => {
      let readyAt: number | undefined;
      const child = fork(this.program, this.args);
      this.child = child;
      const servedMs = (): number | undefined => (readyAt === undefined ? undefined : performance.now() - readyAt);
      child.on('message', (message) => {
        if (message === 'ready') readyAt = performance.now();
      });
      child.once('error', (error) => {
        process.stderr.write(`${error.message}\n`);
        resolve({ status: 1, servedMs: servedMs() });
      });
      child.once('exit', (code, signal) => resolve({ status: code ?? statusOf(signal), servedMs: servedMs() }));
    });
  }

  private stop(signal: NodeJS.Signals): void {
    this.stopping.abort();
    this.child?.kill(signal);
  }
}

/** As shells have it. */
const statusOf = (signal: NodeJS.Signals | null): number => 128 + (signal === null ? 0 : constants.signals[signal]);
