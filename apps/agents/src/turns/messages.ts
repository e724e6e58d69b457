import { randomUUID } from 'node:crypto';
import type { ChatLine } from '../threads';

/** The question, or something that the agent says or does. It grows until it is complete. */
export interface Message {
  line: ChatLine;
  /** What of the line grows word by word. */
  grows: 'content' | 'thinking' | 'nothing';
  /** Goes up with every change but growth. */
  version: number;
}

const base = (sort: number): Omit<ChatLine, 'id' | 'role' | 'content' | 'graphPath'> => ({
  isDelta: false,
  isInProcess: false,
  isStructuredResponse: false,
  sort,
});

export const questionLine = (id: string, content: string, sort: number): ChatLine => ({
  ...{ id, role: 'user', content, graphPath: [] },
  ...base(sort),
});

/** The lines around all others, which tell the state of the thread. */
export const stateLine = (id: '__cutoff__' | '__state__', chatId: string, isStreaming: boolean): ChatLine => ({
  ...{ id, role: 'assistant', content: '', graphPath: [] },
  ...base(0),
  state: { isStreaming, chatId },
});

const AGENT = 'agent';
/** First element of the path of an answer. */
const FINAL = 'final';

const assistant = (sort: number, more: Partial<ChatLine>): ChatLine => ({
  ...{ id: randomUUID(), role: 'assistant', content: '', graphPath: [AGENT] },
  ...base(sort),
  isInProcess: true,
  ...more,
});

export const newText = (sort: number): Message => ({ line: assistant(sort, {}), grows: 'content', version: 0 });

export const newThought = (sort: number): Message => ({
  line: assistant(sort, { thinking: '' }),
  grows: 'thinking',
  version: 0,
});

export const newToolCall = (sort: number, name: string, input: string): Message => ({
  line: assistant(sort, { graphPath: [AGENT, 'tools'], toolCall: { name, input } }),
  grows: 'nothing',
  version: 1,
});

export const newAnswer = (sort: number, content: string): Message => ({
  line: assistant(sort, { graphPath: [FINAL], content, isInProcess: false }),
  grows: 'nothing',
  version: 1,
});

/** The message is complete. */
export function complete(message: Message, changes: Partial<ChatLine> = {}): void {
  Object.assign(message.line, changes, { isInProcess: false });
  message.version += 1;
}

/** A text turns out to have been the answer. */
export const completeAnswer = (message: Message): void => complete(message, { graphPath: [FINAL] });

export const encodeLine = (line: ChatLine): Uint8Array => Buffer.from(`${JSON.stringify(line)}\n`);
