import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';

const READY_WITHIN_MS = 10_000;

/** A port of the loopback address that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
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
