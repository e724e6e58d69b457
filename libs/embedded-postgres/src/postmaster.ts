import type { ChildProcess } from 'node:child_process';
import { spawnOwned } from '@plinth/streams';
import type { Account } from './account';
import type { PostgresLogger } from './logger';

const READY_WITHIN_MS = 60_000;
const READY_LINE = /database system is ready to accept connections/;

/** Programs of PostgreSQL run in a neutral language, so that their messages can be recognized. */
export const neutralEnvironment = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };

export interface Settings {
  dataDirectory: string;
  port: number;
  durable: boolean;
  account: Account;
  logger: PostgresLogger;
}

/** Starts the server and resolves when it accepts connections; rejects with what it wrote. */
export async function startPostmaster(postgres: string, settings: Settings): Promise<ChildProcess> {
  const { account, dataDirectory, logger } = settings;
  const child = spawnOwned(postgres, ['-D', dataDirectory, ...flags(settings)], {
    cwd: dataDirectory,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: neutralEnvironment,
    // A process group of its own: a Ctrl-C must reach the platform first, which stops the server last.
    detached: true,
    ...(account.switched && { uid: account.uid, gid: account.gid }),
  });
  await untilReady(child, logger);
  return child;
}

function untilReady(child: ChildProcess, logger: PostgresLogger): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    let ready = false;
    const timer = setTimeout(() => child.kill('SIGQUIT'), READY_WITHIN_MS);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      report(text, logger);
      if (ready) return;
      output += text;
      ready = READY_LINE.test(output);
      if (!ready) return;
      clearTimeout(timer);
      resolve();
    });
    child.once('error', reject);
    child.once('close', () => {
      clearTimeout(timer);
      reject(new Error(output));
    });
  });
}

function report(text: string, logger: PostgresLogger): void {
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, severity = 'LOG', message = line] = /^(\w+): +(.*)$/.exec(line) ?? [];
    logger[severity === 'LOG' ? 'info' : 'warn']({ component: 'postgres', severity }, message);
  }
}

function flags({ port, durable }: Settings): string[] {
  const settings: Record<string, string | number> = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    // Failed statements are reported to the client that sent them; here they would spill data into the log.
    log_min_messages: 'log',
    log_line_prefix: '',
    log_checkpoints: 'off',
    ...(!durable && {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      wal_level: 'minimal',
      max_wal_senders: 0,
    }),
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
