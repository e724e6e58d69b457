import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { QueryOf, ReplyOf, Schemas } from '@plinth/contract';
import { Database, keysetList } from '@plinth/database';
import { EmbedUsersRepository, type EmbedUser } from '../users';
import { Commenters } from './commenters.service';

/** Tells whom a comment can mention: everybody of the same embed tenant, and nobody else. */
@Injectable()
export class MentionsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly commenters: Commenters,
    private readonly users: EmbedUsersRepository,
  ) {}

  async list(
    principal: Principal,
    publicId: string,
    query: QueryOf<'listMentionableEmbedUsers'>,
  ): Promise<ReplyOf<'listMentionableEmbedUsers'>> {
    const { embedTenantId } = (await this.commenters.of(principal, publicId)).place;
    const search = query.search?.trim();
    const { items, pageInfo } = await keysetList(query, {
      name: 'mentionable-users',
      filters: { embedTenantId, search },
      positionOf: ({ externalId }: EmbedUser): [externalId: string] => [externalId],
      read: (limit, [afterExternalId]) =>
        this.database.transaction(principal.tenantId, (tx) =>
          this.users.listByExternalId(tx, embedTenantId, search, limit, afterExternalId),
        ),
    });
    return { items: items.map(toMentionable), pageInfo };
  }
}

const toMentionable = ({ id, externalId, email, displayName }: EmbedUser): Schemas['EmbedMentionableUserDto'] => ({
  id,
  username: externalId,
  email,
  firstName: displayName,
});
