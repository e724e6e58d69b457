import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { byId, Database, keysetList, type Transaction } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { AccessChanges } from '../../kernel';
import { isReservedGroupName } from './group-names';
import { UserGroupsRepository, type CountedGroup } from './user-groups.repository';

@Injectable()
export class UserGroupsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly groups: UserGroupsRepository,
    private readonly changes: AccessChanges,
  ) {}

  async list(principal: Principal, query: QueryOf<'getUserGroups'>): Promise<ReplyOf<'getUserGroups'>> {
    const filters = { search: query.search };
    return keysetList(query, {
      name: 'user-groups',
      filters,
      positionOf: byId,
      read: (limit, [beforeId]) =>
        this.database.transaction(principal.tenantId, (tx) => this.groups.list(tx, filters, limit, beforeId)),
    });
  }

  async get(principal: Principal, id: number): Promise<ReplyOf<'getUserGroup'>> {
    return this.database.transaction(principal.tenantId, (tx) => this.existing(tx, id));
  }

  async create(
    principal: Principal,
    { name, description = null }: BodyOf<'createUserGroup'>,
  ): Promise<ReplyOf<'createUserGroup'>> {
    requireFreeName(name);
    return this.database.mutate(principal, (tx) =>
      this.groups.insert(tx, { tenantId: principal.tenantId, name, description }),
    );
  }

  async update(
    principal: Principal,
    id: number,
    { name, description }: BodyOf<'updateUserGroup'>,
  ): Promise<ReplyOf<'updateUserGroup'>> {
    if (name !== undefined) requireFreeName(name);
    return this.database.mutate(principal, async (tx) => {
      const change = { ...(name !== undefined && { name }), ...(description !== undefined && { description }) };
      await this.groups.update(tx, id, change);
      return this.existing(tx, id);
    });
  }

  /** What the group allowed its members ends with it. */
  async delete(principal: Principal, id: number): Promise<ReplyOf<'deleteUserGroup'>> {
    return this.changes.mutate(principal, async (tx) => {
      if (!(await this.groups.delete(tx, id))) throw groupNotFound();
      return { success: true };
    });
  }

  private async existing(tx: Transaction, id: number): Promise<CountedGroup> {
    const group = await this.groups.find(tx, id);
    if (!group) throw groupNotFound();
    return group;
  }
}

export const groupNotFound = (): AppError => new AppError('user_group.not_found', 'There is no such user group');

function requireFreeName(name: string): void {
  if (isReservedGroupName(name)) throw invalidRequest('/body/name', 'is a reserved name');
}
