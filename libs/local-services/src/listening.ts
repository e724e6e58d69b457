import { type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

const READY_WITHIN_MS = 30_000;
/** Below the ports that systems give to outgoing connections: none takes it before the server listens, or while it is replaced. */
const PORTS = { first: 15_000, last: 32_767 };
const ATTEMPTS = 100;

/**
 * A port of the loopback address that nobody listens on.
 *
 * @throws Error when none of many is free.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(PORTS.first, PORTS.last + 1);
    if (await isFree(port)) return port;
  }
  throw new Error(`None of ${ATTEMPTS} ports from ${PORTS.first} to ${PORTS.last} is free`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

/** Waits until a child accepts connections; fails when it exits or takes too long. */
export async function untilListening(port: number, child: ChildProcess): Promise<void> {
  let failure: unknown;
  child.once('error', (error) => (failure = error));
  child.once('exit', (code) => (failure = new Error(`${child.spawnfile} exited with ${code}`)));
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await accepts(port))) {
    if (failure) throw failure;
    if (Date.now() > deadline) throw new Error(`${child.spawnfile} did not start in time`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
