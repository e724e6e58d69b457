export { statefulService, type StatefulServiceOptions } from './database-service';
export { endInOrder, FAULT_STATUS, notEnding } from './process-end';
export { busOptions, runProcess } from './run-process';
export type { RunningService, Runtime, ServiceDefinition } from './service-definition';
export { BUS, CONFIG, LOGGER, METRICS } from './tokens';
