import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@plinth/database';
import type { StreamReply } from '@plinth/messaging';
import { requestContext } from '@plinth/observability';
import { ThreadsRepository, type ChatLine, type ChatThread } from '../threads';
import { encodeLine, stateLine, type RunningTurn } from '../turns';
import { AbandonedTurns } from './abandoned-turns.service';

/** How often a turn of another process is looked at, in milliseconds. */
const LOOK_MS = 300;

/** Makes streams of lines. */
@Injectable()
export class ChatStreams {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly threads: ThreadsRepository,
    private readonly abandoned: AbandonedTurns,
  ) {}

  /** A turn of this process, from its beginning. */
  ofTurn(chatId: string, turn: RunningTurn): StreamReply {
    return replyOf(chatId, true, turn.record.read(), () => !turn.isCalledOff);
  }

  /** The question at a place of a thread and what came or still comes of it, whoever answers. */
  ofQuestion(tenantId: number, { id, turnId }: ChatThread, from: number): StreamReply {
    return replyOf(id, turnId !== null, this.follow(tenantId, { id, turnId }, from), () => true);
  }

  /** The thread as it is. */
  ofThread({ id, turnId }: ChatThread, messages: readonly ChatLine[]): StreamReply {
    return replyOf(id, turnId !== null, messages, () => true, turnId !== null);
  }

  private async *follow(
    tenantId: number,
    { id, turnId }: Pick<ChatThread, 'id' | 'turnId'>,
    from: number,
  ): AsyncGenerator<ChatLine> {
    for (let next = from; ; await delay(LOOK_MS, undefined, optionsOf(requestContext()?.signal))) {
      const { thread, lines } = await this.database.transaction(tenantId, async (tx) => {
        const found = await this.threads.find(tx, id);
        if (found) await this.abandoned.settle(tx, tenantId, found);
        return { thread: found, lines: await this.threads.messages(tx, id, next) };
      });
      for (const line of lines) {
        if (line.role === 'user' && line.sort > from) return;
        yield line;
        next = line.sort + 1;
      }
      if (turnId === null || thread?.turnId !== turnId) return;
    }
  }
}

const optionsOf = (signal: AbortSignal | undefined) => (signal ? { signal } : {});

/** @param endsWell whether a last line tells the state, once everything else is said. */
function replyOf(
  chatId: string,
  isStreaming: boolean,
  lines: AsyncIterable<ChatLine> | Iterable<ChatLine>,
  endsWell: () => boolean,
  staysStreaming = false,
): StreamReply {
  const headers = { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
  const stream = async function* () {
    yield encodeLine(stateLine('__cutoff__', chatId, isStreaming));
    for await (const line of lines) yield encodeLine(line);
    if (endsWell()) yield encodeLine(stateLine('__state__', chatId, staysStreaming));
  };
  return { headers, stream: stream() };
}
