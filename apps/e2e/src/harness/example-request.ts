import { operation, publicDocument, type OperationId } from '@plinth/contract';
import type { OperationRequest } from './api-client';

interface Documented {
  requestBody?: {
    content?: Record<string, { example?: unknown; examples?: Record<string, { value: unknown }> }>;
  };
}

/** A valid request to the operation: the body from the contract's example, path and query values as given. */
export function exampleRequest<Id extends OperationId>(
  operationId: Id,
  values: Readonly<Record<string, string | number>>,
): OperationRequest<Id> {
  const { pathParameters, queryParameters } = operation(operationId);
  const query = queryParameters.filter(({ required }) => required).map(({ name }) => [name, values[name]]);
  const body = exampleBody(operationId);
  return {
    path: Object.fromEntries(pathParameters.map(({ name }) => [name, values[name] ?? 1])),
    query: Object.fromEntries(query),
    ...(body !== undefined && { body }),
  } as unknown as OperationRequest<Id>;
}

function exampleBody(operationId: OperationId): unknown {
  const { method, path } = operation(operationId);
  const paths = publicDocument.paths as Record<string, Record<string, Documented>>;
  const [media] = Object.values(paths[path]?.[method.toLowerCase()]?.requestBody?.content ?? {});
  return media?.example ?? Object.values(media?.examples ?? {})[0]?.value;
}
