import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { BUS } from '@plinth/host';
import { cancelStream, type Bus, type ByteStream } from '@plinth/messaging';

type ChatLine = Schemas['ChatLine'];

interface Question {
  input: string | undefined;
  chatId: string | undefined;
}

/** How long a call waits for an answer, in milliseconds: clients give up after a minute. */
const PATIENCE_MS = 45_000;
/** How often a thread is looked at whose answer is waited for, in milliseconds. */
const LOOK_MS = 1_000;

/** Puts questions to agents and reads what comes, as any client does. */
@Injectable()
export class AgentAnswers {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  /** @throws AppError as `streamChatState` does */
  async answer(principal: Principal, agentId: number, question: Question): Promise<object> {
    const until = Date.now() + PATIENCE_MS;
    if (question.input !== undefined) return answerIn(await this.lines(principal, agentId, question, until));
    for (;;) {
      const lines = await this.lines(principal, agentId, question, until);
      if (!lines[0]?.state?.isStreaming || Date.now() >= until) return answerIn(lines);
      await delay(LOOK_MS);
    }
  }

  private async lines(
    principal: Principal,
    agentId: number,
    { input, chatId }: Question,
    until: number,
  ): Promise<ChatLine[]> {
    const { stream } = await this.bus.callForStream('streamChatState', {
      principal,
      path: { accountName: principal.tenantName, agentId },
      query: {},
      body: { ...(input !== undefined && { input }), ...(chatId !== undefined && { chatId }) },
    });
    const lines: ChatLine[] = [];
    for await (const line of linesUntil(stream, until)) lines.push(line);
    return lines;
  }
}

/** The answer to the last question of a thread, with the queries behind it. */
function answerIn(lines: readonly ChatLine[]): object {
  const chatId = lines.find(({ state }) => state?.chatId !== undefined)?.state?.chatId;
  if (chatId === undefined) throw new AppError('service.unavailable', 'The agent did not answer');
  const last = lines.findLastIndex(({ role }) => role === 'user');
  const since = lines.slice(last + 1).filter(({ isInProcess, isDelta }) => !isInProcess && !isDelta);
  const final = since.findLast(({ graphPath }) => graphPath[0] === 'final');
  // One that was ended has no answer, and there is nothing to wait for.
  const isOver = lines.findLast(({ state }) => state)?.state?.isStreaming === false;
  const isComplete = final !== undefined || isOver;
  return { chatId, isComplete, answer: final?.content ?? null, queries: since.flatMap(queryOf) };
}

function queryOf({ toolCall }: ChatLine): object[] {
  if (toolCall?.name !== 'cubeSqlApi' || toolCall.result === undefined) return [];
  const { sqlQuery, totalRows, error } = JSON.parse(toolCall.result) as Record<string, unknown>;
  return [{ sql: sqlQuery, ...(error === undefined ? { totalRows } : { error }) }];
}

/** Lines of JSON as long as there is time. */
async function* linesUntil(stream: ByteStream, until: number): AsyncGenerator<ChatLine> {
  const parts = stream[Symbol.asyncIterator]();
  const late = new AbortController();
  const patience = delay(Math.max(0, until - Date.now()), undefined, { ref: false, signal: late.signal }).catch(
    () => undefined,
  );
  // A line may come in several parts, between two bytes of a character.
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const part = await Promise.race([parts.next(), patience]);
      if (part === undefined || part.done) return;
      const pieces = (rest + decoder.decode(part.value, { stream: true })).split('\n');
      rest = pieces.pop() ?? '';
      for (const piece of pieces.filter((each) => each !== '')) yield JSON.parse(piece) as ChatLine;
    }
  } finally {
    late.abort();
    // Not waited for: an agent that says nothing does not notice it before it says something.
    void cancelStream(stream);
  }
}
