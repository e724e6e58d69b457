import { BaseRepository, containing, type Database, type Reader, type Transaction } from '@plinth/database';
import { In, MoreThan } from 'typeorm';
import { takenByAnotherUser } from './user-errors';
import { User } from './user.entity';

/** What an account is made of; the rest begins empty. Without a username the email is taken. */
export type NewUser = Pick<User, 'tenantId' | 'email' | 'isAdmin'> &
  Partial<Omit<User, 'id' | 'createdAt' | 'updatedAt'>>;

/** What decides on the rights of a user; `generation` is how often everything of theirs has been ended. */
export type ActiveUser = Pick<User, 'email' | 'isAdmin'> & { name: string; generation: number };

export class UsersRepository extends BaseRepository {
  findById(tx: Transaction, id: number): Promise<User | null> {
    return this.managerFor(tx).findOneBy(User, { id });
  }

  /** As {@link findById}, and nobody else changes or deletes the user before the transaction ends. */
  findForUpdate(tx: Transaction, id: number): Promise<User | null> {
    return this.managerFor(tx).findOne(User, { where: { id }, lock: { mode: 'for_no_key_update' } });
  }

  /**
   * A user without an address goes by the username. Needs a transaction across tenants, as {@link searchIds} does: `lower`
   * is not leakproof either.
   */
  findByEmail(tx: Transaction, tenantId: number, email: string): Promise<User | null> {
    return this.managerFor(tx)
      .createQueryBuilder(User, 'user')
      .where('user.tenantId = :tenantId', { tenantId })
      .andWhere('(lower(user.email) = lower(:email) or user.email is null and lower(user.username) = lower(:email))', {
        email,
      })
      .orderBy('user.email', 'ASC', 'NULLS LAST')
      .limit(1)
      .getOne();
  }

  /** Undefined for a user who is deactivated or gone. */
  async findActive(database: Database, tenantId: number, id: number): Promise<ActiveUser | undefined> {
    const text = `select coalesce(first_name, username) as name, email, is_admin as "isAdmin", token_generation as generation from user_account
                  where id = $1 and deactivated_at is null`;
    return (await database.read<ActiveUser>(tenantId, { name: 'active-user', text }, [id]))[0];
  }

  /** The user with the username, in any case; undefined for one who is deactivated or gone. */
  async findActiveNamed(
    database: Database,
    tenantId: number,
    username: string,
  ): Promise<{ userId: number; generation: number } | undefined> {
    const text = `select id as "userId", token_generation as generation from user_account
                  where tenant_id = $1 and lower(username) = lower($2) and deactivated_at is null`;
    const statement = { name: 'active-user-by-name', text };
    return (await database.read<{ userId: number; generation: number }>(tenantId, statement, [tenantId, username]))[0];
  }

  /** An administrator of the tenant, the one who was there first. */
  findFirstAdmin(tx: Transaction, tenantId: number): Promise<User | null> {
    return this.managerFor(tx).findOne(User, { where: { tenantId, isAdmin: true }, order: { id: 'ASC' } });
  }

  /** Oldest first, those after `afterId` when it is given. */
  list(tx: Transaction, limit: number, afterId?: number): Promise<User[]> {
    const where = afterId === undefined ? {} : { id: MoreThan(afterId) };
    return this.managerFor(tx).find(User, { where, order: { id: 'ASC' }, take: limit });
  }

  listByIds(tx: Transaction, ids: readonly number[]): Promise<User[]> {
    return this.managerFor(tx).find(User, { where: { id: In([...ids]) }, order: { id: 'ASC' } });
  }

  /** What others are shown of users, by their ids. */
  people(from: Reader, ids: readonly number[]): Promise<Pick<User, 'id' | 'email' | 'firstName' | 'picture'>[]> {
    return this.prepared(
      from,
      `select id, email, first_name as "firstName", picture from user_account where id = any($1::bigint[]) order by id`,
      [ids],
    );
  }

  /** Those who are active, by their ids, or by their addresses in any case. Needs a transaction across tenants, too. */
  listReachable(
    tx: Transaction,
    tenantId: number,
    { userIds, emails }: { userIds: readonly number[]; emails: readonly string[] },
  ): Promise<User[]> {
    return this.managerFor(tx)
      .createQueryBuilder(User, 'user')
      .where('user.tenantId = :tenantId', { tenantId })
      .andWhere('(user.id = any(:userIds) or lower(user.email) = any(:emails))', {
        userIds,
        emails: emails.map((email) => email.trim().toLowerCase()),
      })
      .andWhere('user.deactivatedAt is null')
      .orderBy('user.id')
      .getMany();
  }

  /**
   * Ids of the users whose first name, username or email contains the text, in ascending order. Needs a transaction
   * across tenants: LIKE is not leakproof, so row-level security would keep it away from its index.
   */
  async searchIds(
    tx: Transaction,
    tenantId: number,
    search: string,
    limit: number,
    afterId?: number,
  ): Promise<number[]> {
    const rows = (await this.managerFor(tx).query(
      `select id from user_account
       where tenant_id = $1 and search_text like lower($2) and ($3::bigint is null or id > $3)
       order by id limit $4`,
      [tenantId, containing(search), afterId ?? null, limit],
    )) as { id: number }[];
    return rows.map(({ id }) => id);
  }

  /** Which of the ids belong to users; these cannot be deleted before the transaction ends. */
  async hold(tx: Transaction, ids: readonly number[]): Promise<Set<number>> {
    const held = await this.managerFor(tx).query<{ id: number }[]>(
      'select id from user_account where id = any($1) order by id for key share',
      [ids],
    );
    return new Set(held.map(({ id }) => id));
  }

  /**
   * Whether the tenant would be without an active administrator if this user were none. Until the transaction ends
   * nobody else gets an answer, so that two administrators cannot remove each other at once.
   */
  async isLastActiveAdmin(tx: Transaction, id: number): Promise<boolean> {
    const admins = (await this.managerFor(tx).query(
      `select id from user_account
       where is_admin and deactivated_at is null and joined_at is not null
       order by id limit 2 for no key update`,
    )) as { id: number }[];
    return admins.length === 1 && admins[0]?.id === id;
  }

  /** @throws AppError `user.email_taken`, `user.username_taken` (409). */
  insert(tx: Transaction, user: NewUser): Promise<User> {
    const manager = this.managerFor(tx);
    const complete = manager.create(User, { ...emptyAccount, username: user.email, ...user });
    return this.mapUnique(takenByAnotherUser, () => manager.save(complete));
  }

  /** For work across tenants: in the order of ids, those after `afterId`. */
  listAcrossTenants(tx: Transaction, tenantId: number, limit: number, afterId: number): Promise<User[]> {
    const where = { tenantId, id: MoreThan(afterId) };
    return this.managerFor(tx).find(User, { where, order: { id: 'ASC' }, take: limit });
  }

  /** @throws AppError `user.email_taken`, `user.username_taken` (409). */
  save(tx: Transaction, user: User): Promise<User> {
    // Two changes never share a moment, which stands for the version of the account.
    const updatedAt = new Date(Math.max(Date.now(), user.updatedAt.getTime() + 1));
    return this.mapUnique(takenByAnotherUser, () => this.managerFor(tx).save(User, { ...user, updatedAt }));
  }

  async delete(tx: Transaction, id: number): Promise<boolean> {
    const { affected } = await this.managerFor(tx).delete(User, { id });
    return affected === 1;
  }
}

const emptyAccount = {
  firstName: null,
  lastName: null,
  title: null,
  picture: null,
  deactivatedAt: null,
  lastLoginAt: null,
  tosAccepted: null,
  embedTheme: null,
  securityContext: null,
  externalId: null,
  passwordHash: null,
};
