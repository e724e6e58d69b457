export { configureFailpoint, failpoint } from './failpoint';
export { createLogger, type Logger } from './logger';
export { frameworkLogger, type FrameworkLogger } from './nest-logger';
export {
  readiness,
  startOperationsServer,
  type Health,
  type OperationsServerOptions,
  type ReadinessCheck,
} from './operations-server';
export {
  markReplayed,
  requestContext,
  runInContext,
  unlessFailed,
  type AuditedAction,
  type IdempotencyClaim,
  type RequestContext,
} from './request-context';
