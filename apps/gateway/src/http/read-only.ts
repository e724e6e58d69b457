import type { RequestHandler } from 'express';
import { platformDialect } from '../dialects/platform.dialect';
import { isReading, MethodNotAllowedError } from './methods';
import { sendError } from './reply';
import { requestIdOf } from '../exchange/request-id';

/** Refuses to do anything with what can only be read: 405, in JSON. */
export const readOnly: RequestHandler = (request, response, next) => {
  if (isReading(request)) next();
  else sendError(response, new MethodNotAllowedError(request.method, ['GET']), platformDialect, requestIdOf(request));
};
