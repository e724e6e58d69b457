import { BaseRepository, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';

/** A user of an embed tenant, as memberships refer to them. */
export interface MemberRef {
  tenantId: number;
  embedTenantId: number;
  embedUserId: number;
}

/** An own group of an embed tenant. */
export interface GroupRef {
  tenantId: number;
  embedTenantId: number;
  groupId: number;
}

export interface MembershipRow {
  /** Order in which members were added. */
  id: number;
  embedUserId: number;
}

export class GroupMembersRepository extends BaseRepository {
  /**
   * Makes the user a member of these own groups of the embed tenant and of no others. Whether that changed anything.
   *
   * @throws AppError `embed_group.unknown_name` (400)
   */
  async replaceOf(tx: Transaction, user: MemberRef, names: readonly string[]): Promise<boolean> {
    const groups = await this.namedGroups(tx, user.embedTenantId, names);
    const unknown = [...new Set(names)].filter((name) => !groups.some((group) => group.name === name));
    if (unknown.length > 0) {
      throw new AppError('embed_group.unknown_name', `Tenant groups with names ${unknown.join(', ')} not found`);
    }
    const ids = groups.map(({ id }) => id);
    const manager = this.managerFor(tx);
    const [left] = await manager.query<[unknown[]]>(
      `delete from embed_group_member
       where embed_tenant_id = $1 and embed_user_id = $2 and group_id <> all($3::bigint[]) returning 1`,
      [user.embedTenantId, user.embedUserId, ids],
    );
    const joined = await manager.query<unknown[]>(
      `insert into embed_group_member (tenant_id, embed_tenant_id, group_id, embed_user_id)
       select $1, $2, id, $3 from unnest($4::bigint[]) id order by id on conflict do nothing returning 1`,
      [user.tenantId, user.embedTenantId, user.embedUserId, ids],
    );
    return left.length + joined.length > 0;
  }

  /** The one who was added last first, those added before `beforeMemberId` when it is given. */
  list(tx: Transaction, groupId: number, limit: number, beforeMemberId?: number): Promise<MembershipRow[]> {
    return this.managerFor(tx).query<MembershipRow[]>(
      `select id, embed_user_id as "embedUserId" from embed_group_member
       where group_id = $1 and ($2::bigint is null or id < $2) order by id desc limit $3`,
      [groupId, beforeMemberId ?? null, limit],
    );
  }

  /** Ids of those who are new in the group. */
  async add(tx: Transaction, group: GroupRef, embedUserIds: readonly number[]): Promise<Set<number>> {
    const rows = await this.managerFor(tx).query<{ embedUserId: number }[]>(
      `insert into embed_group_member (tenant_id, embed_tenant_id, group_id, embed_user_id)
       select $1, $2, $3, id from unnest($4::bigint[]) id order by id
       on conflict (group_id, embed_user_id) do nothing returning embed_user_id as "embedUserId"`,
      [group.tenantId, group.embedTenantId, group.groupId, embedUserIds],
    );
    return new Set(rows.map(({ embedUserId }) => embedUserId));
  }

  /** Whether one of them was a member. */
  async remove(tx: Transaction, { groupId }: GroupRef, embedUserIds: readonly number[]): Promise<boolean> {
    const [removed] = await this.managerFor(tx).query<[unknown[]]>(
      'delete from embed_group_member where group_id = $1 and embed_user_id = any($2::bigint[]) returning 1',
      [groupId, embedUserIds],
    );
    return removed.length > 0;
  }

  /** They cannot be deleted before the transaction ends. */
  private namedGroups(
    tx: Transaction,
    embedTenantId: number,
    names: readonly string[],
  ): Promise<{ id: number; name: string }[]> {
    return this.managerFor(tx).query<{ id: number; name: string }[]>(
      `select id, name from embed_group
       where embed_tenant_id = $1 and kind = 'own' and name = any($2) order by id for key share`,
      [embedTenantId, names],
    );
  }
}
