import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { byId, Database, keysetList, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { canonicalName, embedTenantNotFound, EmbedTenantsRepository } from '../tenants';
import { groupName } from './group-name';
import { EmbedGroupsRepository, type CountedGroup } from './embed-groups.repository';

/** Every transaction holds the embed tenant before a group of it, as its deletion does. */
@Injectable()
export class EmbedGroupsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly tenants: EmbedTenantsRepository,
    private readonly groups: EmbedGroupsRepository,
  ) {}

  async list(
    { tenantId }: Principal,
    embedTenantName: string,
    query: QueryOf<'getGroups'>,
  ): Promise<ReplyOf<'getGroups'>> {
    const name = canonicalName(embedTenantName);
    return keysetList(query, {
      name: 'embed-groups',
      filters: { name },
      positionOf: byId,
      read: (limit, [beforeId]) =>
        this.database.transaction(tenantId, async (tx) => {
          const embedTenantId = await this.tenants.find(tx, name);
          if (embedTenantId === undefined) throw embedTenantNotFound();
          return this.groups.list(tx, embedTenantId, limit, beforeId);
        }),
    });
  }

  async get({ tenantId }: Principal, embedTenantName: string, id: number): Promise<ReplyOf<'getGroup'>> {
    return this.database.transaction(tenantId, async (tx) =>
      this.existing(tx, await this.tenantOf(tx, embedTenantName), id),
    );
  }

  async create(
    principal: Principal,
    embedTenantName: string,
    { name, description }: BodyOf<'createGroup'>,
  ): Promise<ReplyOf<'createGroup'>> {
    const trimmed = groupName(name);
    const { tenantId } = principal;
    return this.database.mutate(principal, async (tx) => {
      const embedTenantId = await this.tenants.ensure(tx, tenantId, canonicalName(embedTenantName));
      return this.groups.insert(tx, { tenantId, embedTenantId, name: trimmed, description: description || null });
    });
  }

  /** The name never changes: security contexts carry it, and policies of data models rely on it. */
  async update(
    principal: Principal,
    embedTenantName: string,
    id: number,
    { description }: BodyOf<'updateGroup'>,
  ): Promise<ReplyOf<'updateGroup'>> {
    return this.database.mutate(principal, async (tx) => {
      const embedTenantId = await this.tenantOf(tx, embedTenantName);
      await this.existing(tx, embedTenantId, id);
      if (description != null) await this.groups.describe(tx, id, description || null);
      return this.existing(tx, embedTenantId, id);
    });
  }

  async delete(principal: Principal, embedTenantName: string, id: number): Promise<ReplyOf<'deleteGroup'>> {
    await this.database.mutate(principal, async (tx) => {
      const embedTenantId = await this.tenantOf(tx, embedTenantName);
      if (!(await this.groups.holdAlone(tx, embedTenantId, id))) throw embedGroupNotFound();
      if ((await this.existing(tx, embedTenantId, id)).userCount > 0) {
        throw new AppError('embed_group.has_members', 'The group has members: remove them first');
      }
      await this.groups.delete(tx, id);
      return null;
    });
    return undefined;
  }

  /** @throws AppError `embed_group.not_found` (404), as a group is all that was asked for */
  private async tenantOf(tx: Transaction, embedTenantName: string): Promise<number> {
    const embedTenantId = await this.tenants.hold(tx, canonicalName(embedTenantName));
    if (embedTenantId === undefined) throw embedGroupNotFound();
    return embedTenantId;
  }

  private async existing(tx: Transaction, embedTenantId: number, id: number): Promise<CountedGroup> {
    const group = await this.groups.find(tx, embedTenantId, id);
    if (!group) throw embedGroupNotFound();
    return group;
  }
}

export const embedGroupNotFound = (): AppError =>
  new AppError('embed_group.not_found', 'The embed tenant has no such group');
