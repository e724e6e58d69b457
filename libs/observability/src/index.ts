export { runInContext, requestContext, type IdempotencyClaim, type RequestContext } from './request-context';
