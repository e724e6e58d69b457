import { BaseRepository, type Transaction } from '@plinth/database';
import { In } from 'typeorm';
import { UserGroupMember } from './user-group-member.entity';

/** A user as a member of a group. */
export interface GroupMember {
  /** Of the membership: the order in which members were added. */
  memberId: number;
  id: number;
  email: string;
  username: string;
  firstName: string | null;
}

export class UserGroupMembersRepository extends BaseRepository {
  /** The last added first, those added before `beforeMemberId` when it is given. */
  list(tx: Transaction, groupId: number, limit: number, beforeMemberId?: number): Promise<GroupMember[]> {
    return this.managerFor(tx).query(
      `select m.id as "memberId", u.id, coalesce(u.email, '') as email, u.username, u.first_name as "firstName"
       from user_group_member m join user_account u on u.id = m.user_id
       where m.group_id = $1 and ($2::bigint is null or m.id < $2)
       order by m.id desc limit $3`,
      [groupId, beforeMemberId ?? null, limit],
    ) as Promise<GroupMember[]>;
  }

  /** Adds those who are no members yet, in ascending order so that two writers cannot wait for each other in turn. */
  async add(tx: Transaction, tenantId: number, groupId: number, userIds: readonly number[]): Promise<Set<number>> {
    const added = (await this.managerFor(tx).query(
      `insert into user_group_member (tenant_id, group_id, user_id)
       select $1, $2, user_id from unnest($3::bigint[]) as user_id order by user_id
       on conflict (group_id, user_id) do nothing
       returning user_id as "userId"`,
      [tenantId, groupId, userIds],
    )) as { userId: number }[];
    return new Set(added.map(({ userId }) => userId));
  }

  /** Whether any of them was a member. */
  async remove(tx: Transaction, groupId: number, userIds: readonly number[]): Promise<boolean> {
    const { affected } = await this.managerFor(tx).delete(UserGroupMember, { groupId, userId: In([...userIds]) });
    return (affected ?? 0) > 0;
  }
}
