import type { ServiceName } from '@plinth/contract';
import type { Logger } from '@plinth/observability';
import { own } from '@plinth/streams';
import { WakeableLoop } from '@plinth/tasks';
import { Client } from 'pg';
import { connectionSettings } from './connection-settings';
import { namesOf } from './service-schema';

const CONNECT_MS = 10_000;
/** The longest time without a connection that could be made. */
const RETRY_MS = 10_000;

/** Statement by which a process without a relay, such as the operator's command, says that there are events in the outbox. */
export const outboxNotice = (service: ServiceName): string => `notify ${channelOf(service)}`;

const channelOf = (service: ServiceName): string => `${namesOf(service).schema}_outbox`;

/** Hears of events that other processes have put into the outbox, on a connection of its own. What it misses, the poll finds. */
export class OutboxNotices {
  private client: Client | undefined;
  private readonly loop: WakeableLoop;

  constructor(
    private readonly options: { url: string; service: ServiceName; logger: Logger },
    private readonly onNotice: () => void,
  ) {
    this.loop = new WakeableLoop(() => this.listen(), {
      name: 'listen for events of other processes',
      everyMs: RETRY_MS,
      logger: options.logger,
    });
  }

  start(): void {
    this.loop.start();
  }

  async stop(): Promise<void> {
    await this.loop.stop();
    await this.client?.end();
  }

  private async listen(): Promise<void> {
    if (this.client) return;
    const { url, service } = this.options;
    const settings = connectionSettings(url, { role: namesOf(service).systemRole });
    const client = own(
      new Client({ ...settings, keepAlive: true, connectionTimeoutMillis: CONNECT_MS, query_timeout: CONNECT_MS }),
    );
    client.on('notification', this.onNotice);
    try {
      await client.connect();
      await client.query(`listen ${channelOf(service)}`);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    this.client = client.on('end', () => this.lost());
    // Of what came while nobody listened.
    this.onNotice();
  }

  private lost(): void {
    this.client = undefined;
    this.loop.wake();
  }
}
