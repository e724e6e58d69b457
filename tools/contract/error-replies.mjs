/** Error replies that an operation has by what it is. What they look like is in the document's `x-responses`. */

const EVERY = ['400', '401', '403', '429', '431', '500', '503', '504'];

/** In which form errors are told. What belongs to no service is passed to engines. */
const formOf = ({ 'x-service': service = 'data' }) => (['data', 'scim'].includes(service) ? service : 'platform');

/** Of the data API, the address itself names a thing. */
const isAboutThing = (operation, parameters) =>
  formOf(operation) === 'data' || parameters.some((each) => each.in === 'path');

/** Whether the body is the form that brings a file. */
export const isForm = ({ requestBody }) => requestBody?.content['multipart/form-data'] !== undefined;

/** A body that nobody asked for is read as well. A form with a file takes no idempotency key: sending it again does the same. */
function statusesOf(method, operation, parameters) {
  const isWrite = method !== 'get';
  return [
    ...EVERY,
    ...(isWrite ? ['409', '413', '415'] : []),
    ...(isWrite && !isForm(operation) ? ['422'] : []),
    ...(isAboutThing(operation, parameters) ? ['404'] : []),
  ];
}

/**
 * The replies of a bundled document's operation that follow from its method and parameters; none in a document without
 * `x-responses`.
 *
 * @throws Error when the operation writes down one of them: it would be one more copy.
 */
export function errorReplies(bundled, method, operation, parameters) {
  const known = bundled['x-responses']?.[formOf(operation)];
  if (!known) return {};
  const statuses = statusesOf(method, operation, parameters).filter((status) => known[status]);
  const replies = Object.fromEntries(statuses.map((status) => [status, known[status]]));
  for (const [status, { $ref }] of Object.entries(operation.responses)) {
    if ($ref && $ref === replies[status]?.$ref)
      throw new Error(`${operation.operationId} writes down the reply ${status}, which it has anyway`);
  }
  return replies;
}
