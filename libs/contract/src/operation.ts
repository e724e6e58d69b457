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

/** The deployment that a call is about, from its path parameters; undefined where they name none, or not by a number. */
export function deploymentIdOf({ access }: OperationDescription, path: unknown): number | undefined {
  if (access.scope !== 'deployment') return undefined;
  const id = Number((path as { deploymentId?: unknown } | undefined)?.deploymentId);
  return Number.isSafeInteger(id) ? id : undefined;
}
