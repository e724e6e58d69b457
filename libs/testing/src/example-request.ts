import { operation, publicDocument, type BodyOf, type OperationId, type PathOf, type QueryOf } from '@plinth/contract';

interface Documented {
  requestBody?: {
    content?: Record<string, { example?: unknown; examples?: Record<string, { value: unknown }> }>;
  };
}

/** A request to an operation, as a client would fill in the contract. */
export interface ExampleRequest<Id extends OperationId> {
  path: Partial<Record<keyof PathOf<Id>, string | number>>;
  query: Partial<QueryOf<Id>>;
  body?: BodyOf<Id>;
}

/** A valid request to the operation: the body from the contract's example, path and query values as given. */
export function exampleRequest<Id extends OperationId>(
  operationId: Id,
  values: Readonly<Record<string, string | number>>,
): ExampleRequest<Id> {
  const { pathParameters, queryParameters } = operation(operationId);
  const query = queryParameters.filter(({ required }) => required).map(({ name }) => [name, values[name]]);
  const body = exampleBody(operationId);
  return {
    path: Object.fromEntries(pathParameters.map(({ name }) => [name, values[name] ?? 1])),
    query: Object.fromEntries(query),
    ...(body !== undefined && { body }),
  } as unknown as ExampleRequest<Id>;
}

function exampleBody(operationId: OperationId): unknown {
  const { method, path } = operation(operationId);
  const paths = publicDocument.paths as Record<string, Record<string, Documented>>;
  const [media] = Object.values(paths[path]?.[method.toLowerCase()]?.requestBody?.content ?? {});
  return media?.example ?? Object.values(media?.examples ?? {})[0]?.value;
}
