import type { Bus } from './bus';
import { InProcessHub, InProcessTransport } from './in-process-transport';
import type { BusLogger } from './logger';
import { MessageBus, type MessageBusOptions } from './message-bus';
import { NatsTransport, type NatsOptions } from './nats-transport';

export interface BusOptions extends Omit<NatsOptions, 'natsUrl'>, MessageBusOptions {
  /** Addresses of NATS servers, comma-separated. Without it the bus stays inside the process. */
  natsUrl?: string | undefined;
  logger: BusLogger;
  /** Where in-process buses meet; buses with different hubs do not reach each other. Unused with `natsUrl`. */
  hub?: InProcessHub;
}

/** The bus over NATS when there is an address, inside the process otherwise. Waits until the server can be reached. */
export async function createBus({
  natsUrl,
  hub = new InProcessHub(),
  onOwnerMove,
  ...options
}: BusOptions): Promise<Bus> {
  const transport =
    natsUrl === undefined
      ? new InProcessTransport(hub, options.logger)
      : await NatsTransport.connect({ ...options, natsUrl });
  return new MessageBus(transport, options.logger, { onOwnerMove });
}
