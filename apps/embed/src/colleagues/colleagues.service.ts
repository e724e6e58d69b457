import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { QueryOf, ReplyOf } from '@plinth/contract';
import { byId, Database, keysetList } from '@plinth/database';
import { EmbedGroupsRepository } from '../groups';
import { EmbedUsersRepository, type EmbedUser, type Place } from '../users';
import { toColleague } from './contract-colleague';
import { OwnTenants } from './own-tenants.service';

/** Tells embed users of the users and groups of their own embed tenant, and of nobody else. */
@Injectable()
export class Colleagues {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly ownTenants: OwnTenants,
    private readonly users: EmbedUsersRepository,
    private readonly groups: EmbedGroupsRepository,
  ) {}

  /** @throws AppError as {@link OwnTenants.of} does */
  async list(principal: Principal, query: QueryOf<'listEmbedColleagues'>): Promise<ReplyOf<'listEmbedColleagues'>> {
    const { embedTenantId } = await this.ownTenants.of(principal);
    return this.usersOf({ tenantId: principal.tenantId, embedTenantId }, query);
  }

  /** Newest first. @throws AppError as {@link OwnTenants.of} does */
  async listGroups(
    principal: Principal,
    query: QueryOf<'listEmbedColleagueGroups'>,
  ): Promise<ReplyOf<'listEmbedColleagueGroups'>> {
    const { embedTenantId } = await this.ownTenants.of(principal);
    const { items, pageInfo } = await keysetList(query, {
      name: 'embed-colleague-groups',
      filters: { embedTenantId },
      positionOf: byId,
      read: (limit, [beforeId]) =>
        this.database.transaction(principal.tenantId, (tx) => this.groups.list(tx, embedTenantId, limit, beforeId)),
    });
    return { items: items.map(({ id, name }) => ({ id, name })), pageInfo };
  }

  /** By their ids at the host application. */
  async usersOf(
    { tenantId, embedTenantId }: Place,
    query: QueryOf<'listEmbedColleagues'>,
  ): Promise<ReplyOf<'listEmbedColleagues'>> {
    const search = query.search?.trim();
    const { items, pageInfo } = await keysetList(query, {
      name: 'embed-colleagues',
      filters: { embedTenantId, search },
      positionOf: ({ externalId }: EmbedUser): [externalId: string] => [externalId],
      read: (limit, [afterExternalId]) =>
        this.database.transaction(tenantId, (tx) =>
          this.users.listByExternalId(tx, embedTenantId, search, limit, afterExternalId),
        ),
    });
    return { items: items.map(toColleague), pageInfo };
  }
}
