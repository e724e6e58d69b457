import { BaseRepository, containing, type Database, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { UserGroup } from './user-group.entity';

/** A group with its number of members. */
export interface CountedGroup extends Pick<UserGroup, 'id' | 'name' | 'description'> {
  userCount: number;
}

export interface GroupFilter {
  search: string | undefined;
}

export type NewGroup = Pick<UserGroup, 'tenantId' | 'name' | 'description'>;

const nameTaken = {
  user_group_tenant_id_name_unique: () => new AppError('user_group.name_taken', 'Another group has this name already'),
};

export class UserGroupsRepository extends BaseRepository {
  /** Newest first, those older than `beforeId` when it is given. */
  list(tx: Transaction, { search }: GroupFilter, limit: number, beforeId?: number): Promise<CountedGroup[]> {
    return this.managerFor(tx).query(
      `${countedGroups}
       where ($1::text is null or lower(g.name) like lower($1)) and ($2::bigint is null or g.id < $2)
       order by g.id desc limit $3`,
      [containing(search), beforeId ?? null, limit],
    ) as Promise<CountedGroup[]>;
  }

  async find(tx: Transaction, id: number): Promise<CountedGroup | undefined> {
    const [group] = (await this.managerFor(tx).query(`${countedGroups} where g.id = $1`, [id])) as CountedGroup[];
    return group;
  }

  /** Those that have one of the names, letter for letter, or one of the ids. */
  async listNamedOrWithIds(
    database: Database,
    tenantId: number,
    names: readonly string[],
    ids: readonly number[],
  ): Promise<Pick<UserGroup, 'id' | 'name'>[]> {
    if (names.length + ids.length === 0) return [];
    const text = `select id, name from user_group
       where tenant_id = $1 and (
         lower(name) = any(select lower(n) from unnest($2::text[]) n) and name = any($2) or id = any($3::bigint[]))
       order by name`;
    return database.read(tenantId, { name: 'user-groups-named', text }, [tenantId, names, ids]);
  }

  /** Whether the group exists; it cannot be deleted before the transaction ends. */
  async hold(tx: Transaction, id: number): Promise<boolean> {
    const group = await this.managerFor(tx).findOne(UserGroup, {
      where: { id },
      lock: { mode: 'for_key_share' },
    });
    return group !== null;
  }

  /** As {@link hold}, and nobody else changes the group or its members before the transaction ends. */
  async holdForUpdate(tx: Transaction, id: number): Promise<boolean> {
    const group = await this.managerFor(tx).findOne(UserGroup, {
      where: { id },
      lock: { mode: 'for_no_key_update' },
    });
    return group !== null;
  }

  /** Moves the version of a group whose members change. */
  async touch(tx: Transaction, id: number): Promise<void> {
    await this.managerFor(tx).query(`update user_group set updated_at = ${nextVersion} where id = $1`, [id]);
  }

  /** Moves the versions of all groups of a user, before the user goes or gets another name. Locks groups in their order. */
  async touchOfUser(tx: Transaction, userId: number): Promise<void> {
    await this.managerFor(tx).query(
      `with held as (
         select id from user_group where id in (select group_id from user_group_member where user_id = $1)
         order by id for no key update
       )
       update user_group set updated_at = ${nextVersion} from held where user_group.id = held.id`,
      [userId],
    );
  }

  /** @throws AppError `user_group.name_taken` (409). */
  async insert(tx: Transaction, group: NewGroup): Promise<CountedGroup> {
    const [row] = await this.mapUnique(nameTaken, () =>
      this.managerFor(tx).query<[Pick<UserGroup, 'id'>]>(
        'insert into user_group (tenant_id, name, description) values ($1, $2, $3) returning id',
        [group.tenantId, group.name, group.description],
      ),
    );
    return { ...group, ...row, userCount: 0 };
  }

  /** @throws AppError `user_group.name_taken` (409). */
  async update(tx: Transaction, id: number, change: Partial<Pick<UserGroup, 'name' | 'description'>>): Promise<void> {
    await this.mapUnique(nameTaken, () =>
      this.managerFor(tx).update(UserGroup, { id }, { ...change, updatedAt: () => nextVersion }),
    );
  }

  /** Whether it was there. Others hear that it is gone. */
  async delete(tx: Transaction, id: number): Promise<boolean> {
    const { affected } = await this.managerFor(tx).delete(UserGroup, { id });
    if (affected === 1) tx.emit('user_group.deleted', { groupId: id });
    return affected === 1;
  }
}

/** Two changes never share a millisecond, which stands for the version of the group. */
const nextVersion = `greatest(clock_timestamp(), updated_at + interval '1 millisecond')`;

const countedGroups = `
  select g.id, g.name, g.description,
    (select count(*)::int from user_group_member m where m.group_id = g.id) as "userCount"
  from user_group g`;
