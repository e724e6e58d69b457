export type {
  AskedOperationId,
  Bus,
  ByteStream,
  Call,
  CallOptions,
  Handler,
  Notice,
  ServeOptions,
  StreamReply,
  Workers,
} from './bus';
export { BusStrategy, type BusStrategyOptions } from './bus-strategy';
export { cancelStream, passThrough, type StreamHooks } from './byte-stream';
export { beginningOf, type Beginning } from './stream-beginning';
export { connectOnce, type NatsServers } from './nats-connection';
export { createBus, type BusOptions } from './create-bus';
export {
  deliveries,
  eventConsumers,
  unknownEvent,
  type DomainEvents,
  type DomainEventType,
  type EventConsumer,
} from './domain-events';
export { InProcessHub } from './in-process-transport';
export type { BusLogger } from './logger';
export { Operation, type Operations } from './operations';
export { ShortCache } from './short-cache';
