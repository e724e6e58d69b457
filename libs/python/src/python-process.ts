import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Exit, Program, Sandbox, SandboxedProcess } from '@plinth/sandbox';
import { readLines } from '@plinth/streams';
import { z } from 'zod';
import { TEXT_LIMIT, type PythonLimits } from './limits';
import { PythonBroken, type PythonOutcome, type PythonProgram } from './python-program';
import type { Python } from './python';

/** Rows that are written at once. */
const ROWS = 1_000;
const DEEPEST = 64;
/** From a result to the end of the process. */
const LEAVE_MS = 500;

const reply = z.union([
  z.strictObject({ ready: z.literal(true) }),
  z.strictObject({ printed: z.string() }),
  z.strictObject({ result: z.unknown() }),
  z.strictObject({ failure: z.string() }),
]);

type Ending = Pick<PythonOutcome, 'result' | 'failure'>;

/**
 * One program in a process of its own, which no other program ever has. All that it says is taken for hostile: its program
 * can write to every descriptor that the process has.
 */
export class PythonProcess {
  private readonly child: SandboxedProcess;
  private readonly ending: Promise<Ending>;
  private end!: (ending: Ending) => void;
  private isReady = false;
  private stdout = '';
  private stderr = '';

  constructor(
    sandbox: Sandbox,
    private readonly python: Python,
    private readonly limits: PythonLimits,
  ) {
    this.ending = new Promise((resolve) => (this.end = resolve));
    this.child = sandbox.start(programFor(python, limits));
    readLines(this.child.stdout, limits.resultBytes, (line, how) => this.hear(line, how === 'line feed'));
    this.child.stderr.on('data', (chunk: Buffer) => {
      if (this.stderr.length < TEXT_LIMIT) this.stderr = cut(this.stderr + chunk.toString('utf8'));
    });
  }

  /**
   * @throws PythonBroken when the interpreter does not start
   * @throws the reason of the signal
   */
  async run(program: PythonProgram, signal: AbortSignal): Promise<PythonOutcome> {
    const kill = (): void => this.child.kill();
    signal.addEventListener('abort', kill, { once: true });
    try {
      void this.write(program);
      const ended = this.ended();
      const ending = await Promise.race([this.ending, ended]);
      signal.throwIfAborted();
      await this.leave(ended);
      return { ...ending, stdout: this.stdout, stderr: this.stderr };
    } catch (error) {
      // Of a process that was ended while it started, too.
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', kill);
      this.child.kill();
    }
  }

  /** What it has said of errors may come after its result. Whoever does not end then is ended. */
  private async leave(ended: Promise<unknown>): Promise<void> {
    const timer = setTimeout(() => this.child.kill(), LEAVE_MS);
    await ended;
    clearTimeout(timer);
  }

  private async write({ code, columns, rows }: PythonProgram): Promise<void> {
    const { hasPandas } = this.python;
    const input = this.child.stdin;
    input.write(`${JSON.stringify({ code, columns, hasPandas })}\n`);
    for (let start = 0; start < rows.length && !input.destroyed; start += ROWS) {
      input.write(`${JSON.stringify(rows.slice(start, start + ROWS))}\n`);
      await setImmediate();
    }
    input.end();
  }

  private hear(line: string, whole: boolean): void {
    if (!whole) return this.end(failed(`The result is larger than ${this.limits.resultBytes} bytes`));
    const heard = replyIn(line);
    if (heard === undefined) return this.end(failed('The program has broken its process'));
    if ('ready' in heard) this.isReady = true;
    else if ('printed' in heard) this.stdout = cut(this.stdout + heard.printed);
    else if ('failure' in heard) this.end(failed(cut(heard.failure)));
    else if (isDeeper(heard.result, DEEPEST)) this.end(failed(`The result has more than ${DEEPEST} levels`));
    else this.end({ result: heard.result ?? null, failure: null });
  }

  /** What a process that has ended leaves is read first. */
  private async ended(): Promise<Ending> {
    const exit = await this.child.exited;
    await Promise.all([this.child.stdout, this.child.stderr].map(untilRead));
    if (!this.isReady) throw new PythonBroken(`Python did not start: ${lastLine(this.stderr) || saying(exit)}`);
    return failed(reasonOf(exit, this.limits));
  }
}

function programFor({ executable, paths, readable }: Python, limits: PythonLimits): Program {
  const harness = readFileSync(join(__dirname, 'harness.py'), 'utf8');
  return {
    command: executable,
    args: ['-I', '-S', '-B', '-c', harness, JSON.stringify(paths)],
    readable,
    limits: {
      memoryBytes: limits.memoryMb * 2 ** 20,
      processes: limits.processes,
      cpuSeconds: Math.ceil(limits.wallMs / 1_000),
      wallMs: limits.wallMs,
    },
  };
}

const failed = (failure: string): Ending => ({ result: null, failure });

const cut = (text: string): string => (text.length > TEXT_LIMIT ? text.slice(0, TEXT_LIMIT) : text);

function replyIn(line: string): z.infer<typeof reply> | undefined {
  try {
    return reply.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** Without recursion, which a hostile value would use up. */
function isDeeper(value: unknown, levels: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}

function untilRead(stream: NodeJS.ReadableStream & { closed?: boolean }): Promise<void> {
  return new Promise((resolve) => {
    if (stream.closed === true) resolve();
    else stream.once('close', () => resolve());
  });
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.slice(0, 200) ?? '';

const saying = ({ code, signal, error }: Exit): string => error ?? `it ended with ${signal ?? code}`;

function reasonOf(exit: Exit, { wallMs, memoryMb }: PythonLimits): string {
  if (exit.limit === 'wallTime' || exit.limit === 'cpuTime')
    return `The program took longer than ${Math.ceil(wallMs / 1_000)} seconds`;
  return `The program ended its process (${exit.signal ?? exit.code}); it may need more memory than ${memoryMb} MiB`;
}
