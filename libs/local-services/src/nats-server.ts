import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, untilListening } from './listening';

export interface NatsServer {
  url: string;
  port: number;
  pid: number;
  /** Ends the process; `kill` ends it the way a crash would. */
  stop(how?: 'kill'): Promise<void>;
}

export interface NatsServerOptions {
  /** A free one when absent. */
  port?: number;
  /** Configuration file, and the variables that it takes. */
  config?: { file: string; variables: Record<string, string> };
}

/** Where packages of Debian put what ordinary users do not have on their path. */
const FURTHER_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin'];

/**
 * Path of the nats-server of this machine.
 *
 * @throws Error with a sentence for the operator when there is none
 */
function findNatsServer(path: string): string {
  const folders = [...path.split(':').filter(Boolean), ...FURTHER_FOLDERS];
  const found = folders.map((folder) => join(folder, 'nats-server')).find(existsSync);
  if (found === undefined) {
    throw new Error(
      'There is no nats-server on the path: install it (apt-get install nats-server, or https://nats.io/download)',
    );
  }
  return found;
}

/**
 * Starts a `nats-server` on 127.0.0.1, in a process group of its own: what ends those who use it does not end it before them.
 *
 * @param path - folders in which it is looked for, as the variable PATH has them
 * @throws Error when there is none, or when it does not start
 */
export async function startNatsServer(
  { port: givenPort, config }: NatsServerOptions = {},
  path = '/usr/local/bin:/usr/bin',
): Promise<NatsServer> {
  const port = givenPort ?? (await freePort());
  const args = ['-a', '127.0.0.1', '-p', String(port)];
  if (config) args.push('-c', config.file, '-m', String(await freePort()));
  const env = { PATH: path, TMPDIR: tmpdir(), ...config?.variables };
  const child = spawn(findNatsServer(path), args, { stdio: 'ignore', detached: true, env });
  // What outlives a test file must not keep its process from ending.
  child.unref();
  const exited = once(child, 'exit');
  exited.catch(() => undefined);
  await untilListening(port, child);
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    pid: child.pid ?? -1,
    stop: async (how) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(how === 'kill' ? 'SIGKILL' : 'SIGTERM');
      await exited;
    },
  };
}
