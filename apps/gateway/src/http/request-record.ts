import type { Logger, RequestContext } from '@plinth/observability';
import type { Request, Response } from 'express';
import type { RequestMetrics } from './request-metrics';

/** A request that has been answered. */
export interface AnsweredRequest {
  request: Request;
  response: Response;
  context: RequestContext;
  /** From `process.hrtime.bigint()`, in nanoseconds. */
  startedAt: bigint;
}

/** What was asked for. Pages go by a name: their paths can be secrets. */
export type RequestSubject = { operationId: string; path: string } | { page: string };

/** Counts the request and writes its one line in the log. */
export function recordRequest(
  { metrics, logger }: { metrics: RequestMetrics; logger: Logger },
  { request, response, context, startedAt }: AnsweredRequest,
  subject: RequestSubject,
): void {
  const { method } = request;
  const { requestId, clientIp } = context;
  const status = response.statusCode;
  const seconds = Number(process.hrtime.bigint() - startedAt) / 1e9;
  metrics.observe('page' in subject ? subject.page : subject.operationId, status, seconds);
  const durationMs = Math.round(seconds * 1e6) / 1e3;
  logger.info({ requestId, ...subject, method, status, durationMs, clientIp }, 'request');
}
