import { operations, type OperationDescription, type OperationId } from '@plinth/contract';

const standing = ({ access: { permission, scope } }: OperationDescription): string =>
  permission === 'public' || permission === 'admin' ? `${permission} ${scope}` : scope;

/** What sets the ways of operations through the platform apart: who serves them, for whom, and how bytes travel. */
const kindOf = (operation: OperationDescription): string =>
  [operation.service, standing(operation), operation.method === 'GET', operation.stream].join();

/**
 * The first operation of each kind. That every operation is guarded is shown without a platform around it
 * (`apps/gateway/src/gates`, `apps/platform/src/gates`); that the platform is put together of these parts, by these.
 */
export function representatives(isMeant: (operation: OperationDescription) => boolean): OperationId[] {
  const first = new Map<string, OperationId>();
  for (const operation of operations.filter((each) => !each.internal && isMeant(each))) {
    const kind = kindOf(operation);
    if (!first.has(kind)) first.set(kind, operation.operationId);
  }
  return [...first.values()];
}
