import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { Database, keysetList, type Transaction } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { GroupMembersRepository, type GroupRef, type MembershipRow } from '../memberships';
import { SessionNotices } from '../session-notices';
import { canonicalName, EmbedTenantsRepository } from '../tenants';
import { canonicalExternalId, EmbedUsersRepository, Provisioning, toContractUser, type EmbedUser } from '../users';
import { EmbedGroupsRepository } from './embed-groups.repository';
import { embedGroupNotFound } from './embed-groups.service';

/** Users by one kind of id each, none of them twice. */
interface NamedUsers {
  ids: number[];
  externalIds: string[];
}

/** A group as the path of a request names it. */
interface GroupPath {
  embedTenantName: string;
  id: number;
}

@Injectable()
export class GroupMembersService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly tenants: EmbedTenantsRepository,
    private readonly groups: EmbedGroupsRepository,
    private readonly members: GroupMembersRepository,
    private readonly users: EmbedUsersRepository,
    private readonly provisioning: Provisioning,
    private readonly notices: SessionNotices,
  ) {}

  async list(
    { tenantId }: Principal,
    path: GroupPath,
    query: QueryOf<'getGroupMembers'>,
  ): Promise<ReplyOf<'getGroupMembers'>> {
    const { items, pageInfo } = await keysetList(query, {
      name: 'embed-group-members',
      filters: { id: path.id },
      positionOf: ({ id }: MembershipRow & { user: EmbedUser }): [memberId: number] => [id],
      read: (limit, [beforeMemberId]) =>
        this.database.transaction(tenantId, async (tx) => {
          const { groupId, embedTenantId } = await this.hold(tx, tenantId, path);
          const rows = await this.members.list(tx, groupId, limit, beforeMemberId);
          const ids = rows.map(({ embedUserId }) => embedUserId);
          const users = byUserId(await this.users.listById(tx, embedTenantId, { ids, externalIds: [] }));
          return rows.map((row) => ({ ...row, user: users.get(row.embedUserId) as EmbedUser }));
        }),
    });
    return { items: items.map(({ user }) => toContractUser(user)), pageInfo };
  }

  async add(
    principal: Principal,
    path: GroupPath,
    { members }: BodyOf<'addGroupMembers'>,
  ): Promise<ReplyOf<'addGroupMembers'>> {
    const named = namedUsers(members);
    return this.database.mutate(principal, async (tx) => {
      const group = await this.hold(tx, principal.tenantId, path);
      const known = await this.users.listById(tx, group.embedTenantId, { ids: named.ids, externalIds: [] });
      const unknown = named.ids.filter((id) => !known.some((user) => user.id === id));
      if (unknown.length > 0) throw usersNotFound(unknown);
      const users = [
        ...byUserId([...known, ...(await this.provisioning.ensureAll(tx, group, named.externalIds))]).values(),
      ];
      const added = await this.members.add(
        tx,
        group,
        users.map(({ id }) => id),
      );
      if (added.size > 0) this.notices.announce(tx, principal.tenantId);
      return {
        addedMembers: users.filter(({ id }) => added.has(id)).map(toContractUser),
        unchangedMembers: users.filter(({ id }) => !added.has(id)).map(toContractUser),
      };
    });
  }

  /** Who is no member is as they shall be, also somebody who is not known at all. */
  async remove(
    principal: Principal,
    path: GroupPath,
    { members }: BodyOf<'removeGroupMembers'>,
  ): Promise<ReplyOf<'removeGroupMembers'>> {
    const named = namedUsers(members);
    await this.database.mutate(principal, async (tx) => {
      const group = await this.hold(tx, principal.tenantId, path);
      const users = await this.users.listById(tx, group.embedTenantId, named);
      const wereMembers = await this.members.remove(tx, group, [...byUserId(users).keys()]);
      if (wereMembers) this.notices.announce(tx, principal.tenantId);
      return null;
    });
    return undefined;
  }

  /** @throws AppError `embed_group.not_found` (404) */
  private async hold(tx: Transaction, tenantId: number, { embedTenantName, id }: GroupPath): Promise<GroupRef> {
    const embedTenantId = await this.tenants.hold(tx, canonicalName(embedTenantName));
    if (embedTenantId === undefined) throw embedGroupNotFound();
    if (!(await this.groups.hold(tx, embedTenantId, id))) throw embedGroupNotFound();
    return { tenantId, embedTenantId, groupId: id };
  }
}

const byUserId = (users: readonly EmbedUser[]): Map<number, EmbedUser> => new Map(users.map((user) => [user.id, user]));

/** @throws AppError `request.invalid` (400) for an entry with no id, or with both. */
function namedUsers(members: BodyOf<'addGroupMembers'>['members']): NamedUsers {
  members.forEach(({ embedUserId, externalId }, index) => {
    if ((embedUserId == null) === (externalId == null)) {
      throw invalidRequest(`/body/members/${index}`, 'takes exactly one of embedUserId and externalId');
    }
  });
  const externalIds = members.flatMap(({ externalId }) => (externalId == null ? [] : canonicalExternalId(externalId)));
  const ids = members.flatMap(({ embedUserId }) => embedUserId ?? []);
  return { ids: [...new Set(ids)], externalIds: [...new Set(externalIds)] };
}

const usersNotFound = (ids: readonly number[]): AppError =>
  new AppError('embed_user.not_found', `The embed tenant has no users with the ids ${ids.join(', ')}`);
