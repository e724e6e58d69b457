import type { DescribedReply } from './error-list';

export interface DocumentOperation {
  operationId: string;
  description?: string;
  parameters?: readonly object[];
  requestBody?: { content?: Readonly<Record<string, { example?: unknown }>> };
  responses: Readonly<Record<string, DescribedReply>>;
}
