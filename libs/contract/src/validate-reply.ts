import { operation } from './operation';
import type { OperationId } from './operation-description';
import { problemsOf, type Problem } from './problems';
import { declaresStatus, replyValidator } from './schema-registry';

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
