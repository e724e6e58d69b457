import { setImmediate } from 'node:timers/promises';
import { type Exit, type Sandbox, sealedNode, type SandboxedProcess, type SealedNode } from '@plinth/sandbox';
import { readLines } from '@plinth/streams';
import type { Job, ProcessStart, Reply, Supply } from '../protocol';

export interface JobLimits {
  /** Milliseconds. */
  timeoutMs: number;
  /** Length of the reply, in bytes. */
  replyBytes: number;
}

/** The process had to be ended, or ended, while it drew. The message says why, as the end of a sentence. */
export class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded';
}

/** What the process says of the job. */
export class JobFailed extends Error {
  override readonly name = 'JobFailed';
}

const START_MS = 60_000;
/** V8 aborts or traps when it gets no memory; a shell in between turns the signal into a code. */
const OUT_OF_MEMORY: readonly unknown[] = ['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV', 134, 133, 132, 139];

/** A sealed process that does one job at a time, for one owner, and is of no use after its first failure. */
export class DrawingProcess {
  private readonly child: SandboxedProcess;
  private readonly ended: Promise<never>;
  private endWith!: (reason: ProcessEnded) => void;
  private heard: ((reply: Reply) => void) | undefined;
  private readonly ready: Promise<Reply>;
  private replyBytes = 1_000;
  private over = false;

  constructor(
    sandbox: Sandbox,
    program: SealedNode,
    start: ProcessStart,
    readonly owner: string,
  ) {
    this.ended = new Promise((_, reject) => (this.endWith = reject));
    this.ended.catch(() => undefined);
    this.child = sandbox.start(sealedNode(program));
    void this.child.exited.then((exit) => this.end(reasonOf(exit)));
    this.child.stderr.resume();
    this.ready = this.next();
    this.ready.catch(() => undefined);
    readLines(this.child.stdout, 64 * 2 ** 20, (text, how) => this.hear(text, how === 'line feed'));
    this.child.stdin.write(`${JSON.stringify(start)}\n`);
  }

  get usable(): boolean {
    return !this.over;
  }

  /**
   * @param supplies - What comes before the job; between them the event loop turns.
   * @throws JobFailed when the job cannot be done
   * @throws ProcessEnded when that took the process with it
   */
  async run(job: Job, supplies: Iterable<Supply>, { timeoutMs, replyBytes }: JobLimits): Promise<unknown> {
    await this.within(START_MS, 'the renderer did not start', this.ready);
    this.replyBytes = replyBytes;
    for (const supply of supplies) {
      this.child.stdin.write(`${JSON.stringify(supply)}\n`);
      await setImmediate();
    }
    const answer = this.next();
    this.child.stdin.write(`${JSON.stringify(job)}\n`);
    const reply = await this.within(timeoutMs, `it took longer than ${Math.ceil(timeoutMs / 1_000)} s`, answer);
    if (reply.kind === 'failed') throw new JobFailed(reply.reason);
    if (reply.kind === 'done') return reply.value;
    this.end('the renderer broke');
    return this.ended;
  }

  /** Kills it. A job under way fails. */
  stop(): void {
    this.end('the renderer was stopped');
  }

  /** Kills it, and waits until it is gone. */
  async close(): Promise<void> {
    this.stop();
    await this.child.exited;
  }

  private next(): Promise<Reply> {
    const reply = new Promise<Reply>((resolve) => (this.heard = resolve));
    return Promise.race([reply, this.ended]);
  }

  private hear(text: string, whole: boolean): void {
    if (!whole || text.length > this.replyBytes) return this.end('it is too large');
    const reply = replyIn(text);
    const heard = this.heard;
    this.heard = undefined;
    // Nobody has asked: what a chart has left behind speaks.
    if (!reply || !heard) return this.end('the renderer broke');
    heard(reply);
  }

  private async within(timeoutMs: number, late: string, work: Promise<Reply>): Promise<Reply> {
    const timer = setTimeout(() => this.end(late), timeoutMs);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  }

  private end(reason: string): void {
    this.over = true;
    this.endWith(new ProcessEnded(reason));
    this.child.kill();
  }
}

function replyIn(text: string): Reply | undefined {
  try {
    return JSON.parse(text) as Reply;
  } catch {
    return undefined;
  }
}

function reasonOf({ code, signal, error }: Exit): string {
  if (error !== undefined) return `the renderer could not be started: ${error}`;
  if (OUT_OF_MEMORY.includes(signal ?? code)) return 'it needs too much memory';
  return `the renderer ended (${signal ?? code})`;
}
