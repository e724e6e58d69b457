import type { Schemas } from '@plinth/contract';

export type ChatLine = Schemas['ChatLine'];

/** Questions and answers that belong together. */
export interface ChatThread {
  id: string;
  agentId: number;
  deploymentId: number;
  /** Identity of whoever asks in it. */
  owner: string;
  title: string;
  createdAt: Date;
  updatedAt: Date;
  /** Of the question that is being answered; null when none is. */
  runningMessageId: string | null;
  /** Of the answer that is under way. */
  turnId: string | null;
  /** Whether the process that gave an answer has gone without a word. */
  isAbandoned: boolean;
}

export const toContract = (thread: ChatThread): Schemas['ChatThread'] => ({
  chatId: thread.id,
  agentId: thread.agentId,
  deploymentId: thread.deploymentId,
  title: thread.title,
  isStreaming: thread.runningMessageId !== null,
  createdAt: thread.createdAt.toISOString(),
  updatedAt: thread.updatedAt.toISOString(),
});
