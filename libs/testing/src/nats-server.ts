import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';

export interface NatsServer {
  url: string;
  port: number;
  /** Ends the process; `kill` ends it the way a crash would. */
  stop(how?: 'kill'): Promise<void>;
}

const READY_WITHIN_MS = 10_000;

/** Starts a `nats-server` from the PATH with its default settings, on a free port unless one is given. */
export async function startNatsServer(options: { port?: number } = {}): Promise<NatsServer> {
  const port = options.port ?? (await freePort());
  const child = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  exited.catch(() => undefined);
  await untilListening(port, child);
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    stop: async (how) => {
      child.kill(how === 'kill' ? 'SIGKILL' : 'SIGTERM');
      await exited;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  let failure: unknown;
  child.once('error', (error) => (failure = error));
  child.once('exit', (code) => (failure = new Error(`nats-server exited with ${code}`)));
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await accepts(port))) {
    if (failure) throw failure;
    if (Date.now() > deadline) throw new Error('nats-server did not start in time');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
