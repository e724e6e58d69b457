export { statefulService, type StatefulServiceOptions } from './database-service';
export { busOptions, runProcess, stopOnSignal } from './run-process';
export type { RunningService, Runtime, ServiceDefinition } from './service-definition';
export { BUS, CONFIG, LOGGER, METRICS } from './tokens';
