import type { Bus } from './bus';
import { InProcessHub, InProcessTransport } from './in-process-transport';
import type { BusLogger } from './logger';
import { MessageBus } from './message-bus';

export interface BusOptions {
  /** The service that connects; names its subjects on NATS. */
  name: string;
  logger: BusLogger;
  /** Where in-process buses meet; buses with different hubs do not reach each other. */
  hub?: InProcessHub;
}

/** Connects to the bus. */
export async function createBus({ logger, hub = new InProcessHub() }: BusOptions): Promise<Bus> {
  return new MessageBus(new InProcessTransport(hub, logger), logger);
}
