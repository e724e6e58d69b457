import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Program } from './program';
import type { Wall } from './wall';

/** What a wall can leave open. */
export type Gap = 'private folders' | 'processes' | 'network' | 'writable folders';

export interface ProbeOptions {
  /** Files and folders that programs are going to read. */
  readable: readonly string[];
  /** Files and folders that no program may reach. */
  secrets: readonly string[];
}

type Victim = ChildProcessByStdio<Writable, Readable, null>;

/** What leaves these open is no wall. */
const FATAL: readonly Gap[] = ['private folders', 'processes'];
const PROBE_TIMEOUT_MS = 20_000;
const MEMORY_BYTES = 2 ** 29;

/** Takes a port that listens, a process that may be killed, what has to be readable and what must not be. */
const PROGRAM = `
const { port, pid, readable, secrets } = JSON.parse(process.argv[1]);
const { accessSync, constants, rmSync, writeFileSync } = require('node:fs');
const works = (attempt) => { try { attempt(); return true; } catch { return false; } };
const reads = (path) => works(() => accessSync(path, constants.R_OK));
const missing = readable.filter((path) => !reads(path));
const gaps = [];
if (secrets.some(reads)) gaps.push('private folders');
if (pid !== process.pid) works(() => process.kill(pid, 'SIGKILL'));
const probe = '/tmp/plinth-sandbox-' + process.hrtime.bigint();
if (works(() => writeFileSync(probe, ''))) { gaps.push('writable folders'); rmSync(probe); }
const socket = require('node:net').connect(port, '127.0.0.1');
const tell = () => process.stdout.write(JSON.stringify({ missing, gaps }), () => process.exit(0));
socket.once('connect', () => { gaps.push('network'); tell(); });
socket.once('error', tell);
`;

/**
 * Finds out what a wall holds by running a program behind it that tries to get out.
 *
 * @returns what the wall leaves open
 * @throws Error with the reason when programs do not run behind it, or when it leaves open what it is there for
 */
export async function probe(wall: Wall, options: ProbeOptions): Promise<Gap[]> {
  const listener = createServer((socket) => socket.destroy());
  const victim = spawn(process.execPath, ['-e', 'process.stdin.pipe(process.stdout)'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  for (const stream of [victim.stdin, victim.stdout]) stream.on('error', () => undefined);
  try {
    const gaps = await tryOut(wall, options, victim, listener);
    const fatal = gaps.filter((gap) => FATAL.includes(gap));
    if (wall.kind !== 'none' && fatal.length > 0) throw new Error(`it leaves open: ${fatal.join(', ')}`);
    return gaps;
  } finally {
    victim.kill('SIGKILL');
    listener.close();
  }
}

async function tryOut(wall: Wall, options: ProbeOptions, victim: Victim, listener: Server): Promise<Gap[]> {
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  const { port } = listener.address() as AddressInfo;
  const child = wall.start(program(options.readable, JSON.stringify({ ...options, port, pid: victim.pid })));
  child.stdin.end();
  const [output, complaint, { code, signal, error }] = await Promise.all([
    ...[child.stdout, child.stderr].map((stream) => text(stream).catch(() => '')),
    child.exited,
  ] as [Promise<string>, Promise<string>, typeof child.exited]);
  if (code !== 0)
    throw new Error(
      error ?? (complaint.trim().split('\n').at(-1)?.slice(0, 200) || `a program ends with ${signal ?? code}`),
    );
  const { missing, gaps } = JSON.parse(output) as { missing: string[]; gaps: Gap[] };
  if (missing.length > 0) throw new Error(`programs cannot read ${missing.join(', ')}`);
  return (await isAlive(victim)) ? gaps : [...gaps, 'processes'];
}

/** A process that answers lives; of one that was killed, the end may still have to be heard. */
async function isAlive(victim: Victim): Promise<boolean> {
  if (victim.exitCode !== null || victim.signalCode !== null) return false;
  return new Promise((resolve) => {
    victim.once('exit', () => resolve(false));
    victim.stdout.once('data', () => resolve(true));
    victim.stdin.write('?');
  });
}

const program = (readable: readonly string[], argument: string): Program => ({
  command: process.execPath,
  args: ['-e', PROGRAM, argument],
  readable,
  limits: { memoryBytes: MEMORY_BYTES, processes: 64, wallMs: PROBE_TIMEOUT_MS },
});
