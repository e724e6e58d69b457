import { publicDocument, type OperationId } from '@plinth/contract';

/** Replies that the gateway knows itself, without asking a service. */
export const localReply = (operationId: OperationId): object | undefined =>
  operationId === 'getSpec' ? publicDocument : undefined;
