import { operations } from './generated/operations';
import type { OperationDescription, OperationId } from './operation-description';

const byId: ReadonlyMap<string, OperationDescription> = new Map(operations.map((each) => [each.operationId, each]));

/**
 * The description of an operation.
 *
 * @throws Error when the contract has no such operation.
 */
export function operation(id: OperationId): OperationDescription {
  const description = byId.get(id);
  if (!description) throw new Error(`The contract has no operation "${id}"`);
  return description;
}
