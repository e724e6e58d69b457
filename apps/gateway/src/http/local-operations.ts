import { dataDocument, publicDocument, type OperationId } from '@plinth/contract';

const documents: Partial<Record<OperationId, object>> = { getSpec: publicDocument, getDataSpec: dataDocument };

/** Replies that the gateway knows itself, without asking a service. */
export const localReply = (operationId: OperationId): object | undefined => documents[operationId];
