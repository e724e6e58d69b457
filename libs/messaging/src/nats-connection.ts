import { setTimeout as delay } from 'node:timers/promises';
import { connect, type NatsConnection } from 'nats';
import { AbsenceWatch } from './absence-watch';
import type { BusLogger } from './logger';
import { inboxPrefix } from './subjects';

export interface NatsServers {
  /** Addresses of the NATS servers, comma-separated. */
  natsUrl: string;
  /** The service that connects: its credential allows its own subjects only, see `subjects.ts`. */
  name: string;
  credentials?: { user: string; password: string } | undefined;
}

/** Milliseconds between attempts to reach a server that is not there. */
const RECONNECT_WAIT_MS = 250;
/** A server that answers neither of two pings is gone, though its connection says nothing. */
const PING_INTERVAL_MS = 5_000;

/** One attempt. @throws NatsError when the server is not there, or refuses the credential */
export const connectOnce = ({ natsUrl, name, credentials }: NatsServers): Promise<NatsConnection> =>
  connect({
    servers: natsUrl.split(','),
    name,
    inboxPrefix: inboxPrefix(name),
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_WAIT_MS,
    pingInterval: PING_INTERVAL_MS,
    // A server that comes back with other users for a while is not given up.
    ignoreAuthErrorAbort: true,
    noAsyncTraces: true,
    ...(credentials && { user: credentials.user, pass: credentials.password }),
  });

/** Attempts until one succeeds; meanwhile the watch says what they wait for. */
export async function connectAtLast(servers: NatsServers, absence: AbsenceWatch): Promise<NatsConnection> {
  absence.begin(false);
  for (;;) {
    try {
      const connection = await connectOnce(servers);
      absence.end();
      return connection;
    } catch (error) {
      absence.reason = error instanceof Error ? error.message : String(error);
      await delay(RECONNECT_WAIT_MS);
    }
  }
}

/** Tells the log while the servers are away. */
export const absenceWatch = ({ natsUrl, name, logger }: NatsServers & { logger: BusLogger }): AbsenceWatch =>
  new AbsenceWatch({ logger, details: { name, servers: natsUrl.split(',').map(withoutCredentials) } });

/** An address may hold a password. */
const withoutCredentials = (server: string): string => server.trim().replace(/^(\w+:\/\/)?[^@]*@/, '$1');
