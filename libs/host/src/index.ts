export { endInOrder, notEnding } from './process-end';
export { processMetrics } from './process-metrics';
export { busOptions, runProcess } from './run-process';
export { Sandboxes, type SandboxNeeds, type SandboxesOptions } from './sandboxes';
export type { RunningService, Runtime, ServiceDefinition } from './service-definition';
export { startFailure } from './start-failure';
export { statefulService, type StatefulServiceOptions } from './stateful-service';
export { statelessService, type StatelessServiceOptions } from './stateless-service';
export { BUS, CONFIG, LOGGER, METRICS, SANDBOXES } from './tokens';
