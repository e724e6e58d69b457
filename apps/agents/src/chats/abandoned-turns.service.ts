import { Injectable } from '@nestjs/common';
import type { Transaction } from '@plinth/database';
import { ThreadsRepository, type ChatThread } from '../threads';
import { newAnswer } from '../turns';

const SENTENCE = 'The answer was broken off, because the process that gave it has failed: ask again.';

/** Answers whose process was killed: whoever looks at the thread first says so in it. */
@Injectable()
export class AbandonedTurns {
  constructor(private readonly threads: ThreadsRepository) {}

  async settle(tx: Transaction, tenantId: number, { id, isAbandoned }: ChatThread): Promise<void> {
    const turn = isAbandoned ? await this.threads.takeAbandoned(tx, id) : undefined;
    if (!turn) return;
    const { line } = newAnswer(await this.threads.nextPlace(tx, id), SENTENCE);
    await this.threads.add(tx, tenantId, turn, [line]);
  }
}
