import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { Database, keysetList } from '@plinth/database';
import { AccessChanges } from '../../kernel';
import { userNotFound } from '../users/user-errors';
import { UsersRepository } from '../users/users.repository';
import { UserGroupMembersRepository, type GroupMember } from './user-group-members.repository';
import { UserGroupsRepository } from './user-groups.repository';
import { groupNotFound } from './user-groups.service';

@Injectable()
export class UserGroupMembersService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly groups: UserGroupsRepository,
    private readonly members: UserGroupMembersRepository,
    private readonly users: UsersRepository,
    private readonly changes: AccessChanges,
  ) {}

  async list(
    principal: Principal,
    groupId: number,
    query: QueryOf<'getUserGroupMembers'>,
  ): Promise<ReplyOf<'getUserGroupMembers'>> {
    const { items, pageInfo } = await keysetList(query, {
      name: 'user-group-members',
      filters: { groupId },
      positionOf: ({ memberId }: GroupMember) => [memberId],
      read: (limit, [beforeId]) =>
        this.database.transaction(principal.tenantId, async (tx) => {
          if (!(await this.groups.find(tx, groupId))) throw groupNotFound();
          return this.members.list(tx, groupId, limit, beforeId);
        }),
    });
    return { items: items.map(({ id, email, username, firstName }) => ({ id, email, username, firstName })), pageInfo };
  }

  async add(
    principal: Principal,
    groupId: number,
    { userIds }: BodyOf<'addUserGroupMembers'>,
  ): Promise<ReplyOf<'addUserGroupMembers'>> {
    const wanted = [...new Set(userIds)];
    return this.changes.mutate(principal, async (tx) => {
      if (!(await this.groups.holdForUpdate(tx, groupId))) throw groupNotFound();
      const known = await this.users.hold(tx, wanted);
      const unknown = wanted.find((id) => !known.has(id));
      if (unknown !== undefined) throw userNotFound(unknown);
      const added = await this.members.add(tx, principal.tenantId, groupId, wanted);
      if (added.size > 0) await this.groups.touch(tx, groupId);
      return {
        addedMembers: wanted.filter((id) => added.has(id)),
        unchangedMembers: wanted.filter((id) => !added.has(id)),
      };
    });
  }

  async remove(
    principal: Principal,
    groupId: number,
    { userIds }: BodyOf<'removeUserGroupMembers'>,
  ): Promise<ReplyOf<'removeUserGroupMembers'>> {
    await this.changes.mutate(principal, async (tx) => {
      if (!(await this.groups.holdForUpdate(tx, groupId))) throw groupNotFound();
      if (await this.members.remove(tx, groupId, userIds)) await this.groups.touch(tx, groupId);
      return null;
    });
    return undefined;
  }
}
