import { operation } from './operation';
import type { OperationId } from './operation-description';
import { problemsOf, type Problem } from './problems';
import { dataDocument } from './document';
import { dataReplyValidator, declaresStatus, replyValidator } from './schema-registry';

/**
 * Holds a reply against the contract, for the test suites.
 *
 * @param body - the parsed JSON body; undefined for a reply without one.
 * @returns every problem; empty when the reply keeps the contract.
 */
export function validateReply(id: OperationId, status: number, body: unknown): Problem[] {
  const description = operation(id);
  if (!declaresStatus(description, status))
    return [{ path: '/status', message: `${status} is not declared for ${id}` }];
  const validate = replyValidator(description, status);
  if (!validate) return body === undefined ? [] : [{ path: '/body', message: 'is not declared' }];
  if (body === undefined) return [{ path: '/body', message: 'is required' }];
  return validate(body) ? [] : problemsOf('/body', validate.errors ?? []);
}

/** Of paths that end alike, the longer one is meant. */
const dataPaths = Object.keys(dataDocument.paths).sort((left, right) => right.length - left.length);

/**
 * Holds a reply of a data API against its document, for the test suites.
 *
 * @param path - of the request, whatever stands before the part that the document has.
 * @param body - the parsed JSON body, or the text of one that is no JSON.
 * @returns every problem; empty when the reply keeps the document, and for a path that the document does not have.
 */
export function validateDataReply(method: string, path: string, status: number, body: unknown): Problem[] {
  const described = dataPaths.find(
    (each) => path.endsWith(each) && method.toLowerCase() in (dataDocument.paths[each] ?? {}),
  );
  if (described === undefined || body === undefined) return [];
  const validate = dataReplyValidator(method, described, status);
  if (!validate) return [{ path: '/status', message: `${status} is not declared for ${method} ${described}` }];
  return validate(body) ? [] : problemsOf('/body', validate.errors ?? []);
}
