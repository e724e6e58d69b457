import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort, untilListening } from './listening';

export interface NatsServer {
  url: string;
  port: number;
  pid: number;
  /** Ends the process; `kill` ends it the way a crash would. */
  stop(how?: 'kill'): Promise<void>;
}

/** Starts a `nats-server` from the PATH with its default settings, on a free port unless one is given. */
export async function startNatsServer(options: { port?: number } = {}): Promise<NatsServer> {
  const port = options.port ?? (await freePort());
  const child = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
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
      child.kill(how === 'kill' ? 'SIGKILL' : 'SIGTERM');
      await exited;
    },
  };
}
