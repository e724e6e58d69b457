import { Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { QueryOf, ReplyOf } from '@plinth/contract';
import { Colleagues } from '../colleagues';
import { Commenters } from './commenters.service';

/** Tells whom a comment can mention: everybody of the same embed tenant, and nobody else. */
@Injectable()
export class MentionsService {
  constructor(
    private readonly commenters: Commenters,
    private readonly colleagues: Colleagues,
  ) {}

  async list(
    principal: Principal,
    publicId: string,
    query: QueryOf<'listMentionableEmbedUsers'>,
  ): Promise<ReplyOf<'listMentionableEmbedUsers'>> {
    return this.colleagues.usersOf((await this.commenters.of(principal, publicId)).place, query);
  }
}
