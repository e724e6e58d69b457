import type { Logger } from '@plinth/observability';
import type { Exchange } from '../exchange/exchange';
import type { RequestMetrics } from './request-metrics';

/**
 * Counts a request that has been answered, and writes its one line in the log.
 *
 * @param page name of what was asked for, where the path can be a secret.
 */
export function recordRequest(
  { metrics, logger }: { metrics: RequestMetrics; logger: Logger },
  { request, response, context, startedAt }: Exchange,
  page: string | undefined,
): void {
  const { requestId, clientIp, operationId = 'unknown' } = context;
  const { method, path } = request;
  const status = response.statusCode;
  const milliseconds = performance.now() - startedAt;
  metrics.observe(page ?? operationId, status, milliseconds / 1e3);
  const subject = page === undefined ? { operationId, path } : { page };
  const durationMs = Math.round(milliseconds * 1e3) / 1e3;
  logger.info({ requestId, ...subject, method, status, durationMs, clientIp }, 'request');
}
