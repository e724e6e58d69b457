import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { spawnOwned } from '@plinth/streams';
import { RemoteTooLargeError, RemoteUnreachableError, remoteErrorFrom } from './remote-error';

/** A git command that talks to a remote. */
export interface RemoteProcess {
  binary: string;
  args: readonly string[];
  directory: string;
  environment: Readonly<Record<string, string>>;
  /** Ends the command with everything that it started. */
  signal: AbortSignal;
  /** Bytes that any file the command writes may have; the kernel enforces it. */
  maxFileBytes: number;
  /** Texts that must not leave in an error. */
  secrets: readonly string[];
}

export interface RemoteProcessResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const MAX_ERROR_TEXT = 16_384;
const MAX_MEMORY_KIB = 4 * 1024 * 1024;
// POSIX counts file sizes in blocks of 512 bytes. The limit on memory is not known to every system.
const LIMITED = 'ulimit -f "$1" || exit 125; ulimit -v "$2" 2>/dev/null; shift 2; exec "$@"';

/**
 * Runs git in a process group of its own, so that helpers such as `ssh` end with it.
 *
 * @throws RemoteTooLargeError, RemoteUnreachableError when it was ended from outside; an exit code is a result
 */
export async function runRemoteProcess(options: RemoteProcess): Promise<RemoteProcessResult> {
  options.signal.throwIfAborted();
  const limits = [String(Math.ceil(options.maxFileBytes / 512)), String(MAX_MEMORY_KIB)];
  const child = spawnOwned('/bin/sh', ['-c', LIMITED, 'sh', ...limits, options.binary, ...options.args], {
    cwd: options.directory,
    env: options.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  }) as ChildProcessByStdio<null, Readable, Readable>;
  const kill = () => killGroup(child.pid);
  options.signal.addEventListener('abort', kill, { once: true });
  try {
    return await collect(child, kill, options);
  } finally {
    options.signal.removeEventListener('abort', kill);
    kill();
  }
}

async function collect(
  child: ChildProcessByStdio<null, Readable, Readable>,
  kill: () => void,
  { signal, secrets }: RemoteProcess,
): Promise<RemoteProcessResult> {
  const chunks: Buffer[] = [];
  let received = 0;
  let errorText = '';
  child.stdout.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > MAX_OUTPUT_BYTES) kill();
    else chunks.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => (errorText = (errorText + chunk.toString()).slice(-MAX_ERROR_TEXT)));
  const [code] = (await once(child, 'close')) as [number | null];
  signal.throwIfAborted();
  if (received > MAX_OUTPUT_BYTES) throw new RemoteTooLargeError('The remote repository has too many branches.');
  const stderr = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), errorText);
  return { code, stdout: Buffer.concat(chunks).toString('utf8'), stderr };
}

/** Standard output of a command that has to succeed.
 * @throws RemoteError for what its messages mean */
export async function runToSuccess(options: RemoteProcess): Promise<string> {
  const { code, stdout, stderr } = await runRemoteProcess(options);
  if (code === 0) return stdout;
  if (stderr === '') throw new RemoteUnreachableError('Git ended without a message.');
  throw remoteErrorFrom(stderr);
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended by itself.
  }
}
