import { BaseRepository, type Database, type Transaction } from '@plinth/database';
import { In } from 'typeorm';
import { User } from '../../people';
import type { Profile, ProfiledUser } from './provisioned-profile';
import { select, type Selected, type Selection } from './selection';

/** The other end of a membership. */
export interface Membership {
  userId: number;
  id: number;
  display: string;
}

/** What identity providers see of accounts. */
export class ProvisionedUsersRepository extends BaseRepository {
  select(database: Database, tenantId: number, selection: Selection): Promise<Selected> {
    return select(database, 'User', tenantId, selection);
  }

  async find(tx: Transaction, ids: readonly number[]): Promise<ProfiledUser[]> {
    const manager = this.managerFor(tx);
    const users = await manager.findBy(User, { id: In([...ids]) });
    const rows = await manager.query<{ id: number; profile: Profile | null }[]>(
      'select id, profile from user_account where id = any($1)',
      [ids],
    );
    const profiles = new Map(rows.map(({ id, profile }) => [id, profile]));
    const byId = new Map(users.map((user) => [user.id, { user, profile: profiles.get(user.id) ?? null }]));
    return ids.map((id) => byId.get(id)).filter((found) => found !== undefined);
  }

  async setProfile(tx: Transaction, id: number, profile: Profile): Promise<void> {
    await this.managerFor(tx).query('update user_account set profile = $2 where id = $1', [
      id,
      JSON.stringify(profile),
    ]);
  }

  groupsOf(tx: Transaction, userIds: readonly number[]): Promise<Membership[]> {
    return this.managerFor(tx).query<Membership[]>(
      `select m.user_id as "userId", g.id, g.name as display
       from user_group_member m join user_group g on g.id = m.group_id
       where m.user_id = any($1) order by g.id`,
      [userIds],
    );
  }
}
