export { statefulService, type StatefulServiceOptions } from './database-service';
export { endInOrder, FAULT_STATUS, notEnding } from './process-end';
export { processMetrics } from './process-metrics';
export { busOptions, runProcess } from './run-process';
export { Sandboxes, type SandboxNeeds, type SandboxesOptions } from './sandboxes';
export type { RunningService, Runtime, ServiceDefinition } from './service-definition';
export { BUS, CONFIG, LOGGER, METRICS, SANDBOXES } from './tokens';
