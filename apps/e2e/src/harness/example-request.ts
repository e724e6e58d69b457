import { operation, publicDocument, type OperationId } from '@plinth/contract';
import type { OperationRequest } from './api-client';

interface Documented {
  requestBody?: {
    content?: { 'application/json'?: { example?: unknown; examples?: Record<string, { value: unknown }> } };
  };
}

/** A valid request to the operation: the body from the contract's example, path and query values as given. */
export function exampleRequest<Id extends OperationId>(
  operationId: Id,
  values: Readonly<Record<string, string | number>>,
): OperationRequest<Id> {
  const { method, path, pathParameters, queryParameters, hasBody } = operation(operationId);
  const paths = publicDocument.paths as Record<string, Record<string, Documented>>;
  const media = paths[path]?.[method.toLowerCase()]?.requestBody?.content?.['application/json'];
  const example = media?.example ?? Object.values(media?.examples ?? {})[0]?.value;
  const query = queryParameters.filter(({ required }) => required).map(({ name }) => [name, values[name]]);
  return {
    path: Object.fromEntries(pathParameters.map(({ name }) => [name, values[name] ?? 1])),
    ...(query.length > 0 && { query: Object.fromEntries(query) }),
    ...(hasBody && example !== undefined && { body: example }),
  } as unknown as OperationRequest<Id>;
}
