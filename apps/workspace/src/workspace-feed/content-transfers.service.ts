import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { ItemsRepository, People } from '../content';

/** Gives content to somebody else, so that what a user made outlives their account. */
@Injectable()
export class ContentTransfers {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly items: ItemsRepository,
    private readonly people: People,
  ) {}

  async transfer(
    principal: Principal,
    fromUserId: number,
    { toUserId }: BodyOf<'transferContent'>,
  ): Promise<ReplyOf<'transferContent'>> {
    if (fromUserId === toUserId) throw invalidRequest('/body/toUserId', 'is the user who owns the content');
    const known = await this.people.known(principal.tenantId, [fromUserId, toUserId]);
    if (!known.has(toUserId)) throw userNotFound(toUserId);
    return this.database.mutate(principal, async (tx) => {
      const transferred = await this.items.transfer(tx, fromUserId, toUserId);
      // Content may outlive its owner; whoever never owned any was never here.
      if (transferred === 0 && !known.has(fromUserId)) throw userNotFound(fromUserId);
      return { transferred };
    });
  }
}

const userNotFound = (id: number): AppError => new AppError('user.not_found', `There is no user ${id}`);
