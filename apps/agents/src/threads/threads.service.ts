import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { QueryOf, ReplyOf } from '@plinth/contract';
import { Database, keysetList, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { Askers } from '../askers';
import { toContract, type ChatThread } from './chat-thread';
import { ThreadsRepository } from './threads.repository';

/** Notice that a turn is to end, wherever it runs. */
export const TURN_ENDED = 'agents.turn.ended';

type OfExternal = { externalId?: string };

/** What owners do with their threads. */
@Injectable()
export class ThreadsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(BUS) private readonly bus: Bus,
    private readonly askers: Askers,
    private readonly threads: ThreadsRepository,
  ) {}

  async list(principal: Principal, query: QueryOf<'listChatThreads'>): Promise<ReplyOf<'listChatThreads'>> {
    const owner = this.askers.ownerFor(principal, query.externalId);
    const { tenantId } = principal;
    const { items, pageInfo } = await keysetList(query, {
      name: 'chat-threads',
      filters: { owner },
      positionOf: ({ updatedAt, id }: ChatThread): [updatedAt: string, id: string] => [updatedAt.toISOString(), id],
      read: (limit, [updatedAt, id]) => {
        const before = updatedAt !== undefined && id !== undefined ? { updatedAt, id } : undefined;
        return this.database.transaction(tenantId, (tx) => this.threads.list(tx, tenantId, owner, limit, before));
      },
    });
    return { items: items.map(toContract), pageInfo };
  }

  async get(principal: Principal, chatId: string, { externalId }: OfExternal): Promise<ReplyOf<'getChatThread'>> {
    const owner = this.askers.ownerFor(principal, externalId);
    return this.database.transaction(principal.tenantId, async (tx) => {
      const thread = await this.require(tx, owner, chatId);
      return { thread: toContract(thread), messages: await this.threads.messages(tx, chatId) };
    });
  }

  async delete(principal: Principal, chatId: string, { externalId }: OfExternal): Promise<undefined> {
    const owner = this.askers.ownerFor(principal, externalId);
    const turnId = await this.database.mutate(principal, async (tx) => {
      const thread = await this.require(tx, owner, chatId);
      await this.threads.delete(tx, chatId);
      return thread.turnId;
    });
    if (turnId !== null) this.bus.publish({ topic: TURN_ENDED, payload: { turnId } });
    return undefined;
  }

  /** @throws AppError `chat.not_found` (404), `chat.foreign` (403) */
  async require(tx: Transaction, owner: string, chatId: string, lock = false): Promise<ChatThread> {
    const thread = await this.threads.find(tx, chatId, lock);
    if (!thread) throw new AppError('chat.not_found', 'There is no such thread');
    if (thread.owner !== owner) throw new AppError('chat.foreign', 'The thread is of somebody else');
    return thread;
  }
}
