import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Exit, Program, Sandbox, SandboxedProcess } from '@plinth/sandbox';
import { readLines } from '@plinth/streams';
import { z } from 'zod';
import type { ProjectFile } from '../sources/dbt-repository';
import { SyncFailure } from '../syncs/sync-outcome';
import { dbtLine, redacted, type DbtLine, type Secrets } from './dbt-line';
import type { DbtInstallation } from './dbt-installation';

export interface DbtOrder {
  files: readonly ProjectFile[];
  profiles: object;
  target: string;
  selector: string | null;
  environment: Readonly<Record<string, string>>;
}

export interface DbtLimits {
  wallMs: number;
  memoryMb: number;
}

export interface DbtAnswer {
  manifest: Buffer;
  /** Ids of the models that the selector has chosen. */
  selected: ReadonlySet<string> | undefined;
}

const SCRATCH_BYTES = 512 * 2 ** 20;
const MANIFEST_BYTES = 200 * 2 ** 20;
/** Of the line before the manifest, which names the chosen models. */
const HEAD_BYTES = 8 * 2 ** 20;
const LINE_BYTES = 64 * 1024;
const PROCESSES = 64;
const NEWLINE = 0x0a;

const head = z.union([
  z.object({ ok: z.literal(true), selected: z.array(z.string()).nullable() }),
  z.object({ ok: z.literal(false), error: z.string(), outOfMemory: z.boolean() }),
]);

/** What dbt says meanwhile; the errors among it tell why it fails. */
export type OnLine = (line: DbtLine) => void;

/**
 * Has dbt read a project: behind a wall, without network, in an empty folder that is gone afterwards. The project comes over
 * the input, so that it need not be where the wall is.
 *
 * @throws SyncFailure with dbt's own message, or with the limit that it has met, and the reason of the signal
 */
export async function readByDbt(
  sandbox: Sandbox,
  dbt: DbtInstallation,
  order: DbtOrder,
  limits: DbtLimits,
  { onLine, signal }: { onLine: OnLine; signal: AbortSignal },
): Promise<DbtAnswer> {
  signal.throwIfAborted();
  const child = sandbox.start(programOf(dbt, limits));
  const kill = (): void => child.kill();
  signal.addEventListener('abort', kill, { once: true });
  try {
    const errors: string[] = [];
    const secrets = { values: Object.values(order.environment), folders: [...dbt.paths, ...dbt.readable] };
    const told = linesOf(child.stderr, secrets, (line) => {
      if (line.level === 'error') errors.push(line.message);
      onLine(line);
    });
    const sent = send(child.stdin, dbt, order);
    const [output, exit] = await Promise.all([collected(child), child.exited, told, sent]);
    signal.throwIfAborted();
    return answerIn(output, exit, (error) => errors.at(-1) ?? redacted(error, secrets), limits);
  } finally {
    signal.removeEventListener('abort', kill);
    child.kill();
    await child.exited;
  }
}

function programOf({ executable, readable }: DbtInstallation, { wallMs, memoryMb }: DbtLimits): Program {
  return {
    command: executable,
    args: ['-I', '-S', '-B', '-c', readFileSync(join(__dirname, 'run-dbt.py'), 'utf8')],
    readable,
    scratchBytes: SCRATCH_BYTES,
    limits: { memoryBytes: memoryMb * 2 ** 20, processes: PROCESSES, cpuSeconds: Math.ceil(wallMs / 1_000), wallMs },
  };
}

async function send(input: Writable, { paths }: DbtInstallation, { files, ...order }: DbtOrder): Promise<void> {
  const write = async (bytes: string | Buffer): Promise<void> => {
    if (!input.destroyed && !input.write(bytes)) await drained(input);
  };
  await write(`${JSON.stringify({ ...order, paths })}\n`);
  for (const { path, content } of files) {
    await write(`${JSON.stringify({ path, size: content.length })}\n`);
    await write(content);
  }
  input.end('\n');
}

/** Or gone: a program that reads no more says why by its end. */
const drained = (input: Writable): Promise<void> =>
  new Promise((resolve) => {
    for (const event of ['drain', 'close', 'error']) input.once(event, () => resolve());
  });

async function collected(child: SandboxedProcess): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= HEAD_BYTES + MANIFEST_BYTES) chunks.push(chunk);
    else child.kill();
  });
  await closed(child.stdout);
  if (size > HEAD_BYTES + MANIFEST_BYTES) throw new SyncFailure(`The manifest is larger than ${MANIFEST_BYTES} bytes`);
  return Buffer.concat(chunks);
}

async function linesOf(errors: Readable, secrets: Secrets, tell: OnLine): Promise<void> {
  readLines(errors, LINE_BYTES, (text) => {
    const line = dbtLine(text, secrets);
    if (line) tell(line);
  });
  await closed(errors);
}

const closed = (stream: Readable): Promise<void> =>
  new Promise((resolve) => {
    if (stream.closed) resolve();
    else stream.once('close', () => resolve());
  });

function answerIn(output: Buffer, exit: Exit, reason: (error: string) => string, limits: DbtLimits): DbtAnswer {
  const end = output.subarray(0, HEAD_BYTES).indexOf(NEWLINE);
  const reply = end < 0 ? undefined : headIn(output.subarray(0, end).toString('utf8'));
  if (!reply) throw new SyncFailure(reasonOf(exit, limits));
  if (!reply.ok) {
    const said = reason(reply.error);
    throw new SyncFailure(reply.outOfMemory ? `${said}\nMemory has ended: ${needsMemory(limits)}` : said);
  }
  return { manifest: output.subarray(end + 1), selected: reply.selected ? new Set(reply.selected) : undefined };
}

function headIn(text: string): z.infer<typeof head> | undefined {
  try {
    return head.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function reasonOf({ limit, error, code, signal }: Exit, limits: DbtLimits): string {
  if (limit === 'wallTime' || limit === 'cpuTime') {
    return `dbt did not read the project within ${Math.ceil(limits.wallMs / 1_000)} seconds`;
  }
  if (limit === 'fileSize') return 'dbt wrote more than there is room for';
  const how = error ?? `it ended with ${signal ?? code}`;
  return `dbt did not come to an end (${how}); ${needsMemory(limits)}`;
}

const needsMemory = ({ memoryMb }: DbtLimits): string => `it may need more memory than ${memoryMb} MiB`;
