import { BaseRepository, type Transaction } from '@plinth/database';

/** The account that a password is checked for. */
export interface PasswordHolder {
  userId: number;
  passwordHash: string | null;
}

/** The only reader and writer of password hashes. */
export class PasswordsRepository extends BaseRepository {
  /** The account with that email; undefined when there is none that may be used. */
  async findHolder(tx: Transaction, email: string): Promise<PasswordHolder | undefined> {
    const [holder] = (await this.managerFor(tx).query(
      `select id as "userId", password_hash as "passwordHash" from user_account
       where lower(email) = lower($1) and deactivated_at is null`,
      [email],
    )) as PasswordHolder[];
    return holder;
  }

  /** Whoever has a password has taken over the account. */
  async set(tx: Transaction, userId: number, passwordHash: string): Promise<void> {
    await this.managerFor(tx).query(
      `update user_account
       set password_hash = $2, joined_at = coalesce(joined_at, now()), updated_at = now() where id = $1`,
      [userId, passwordHash],
    );
  }

  async findHash(tx: Transaction, userId: number): Promise<string | null> {
    const [row] = (await this.managerFor(tx).query('select password_hash as hash from user_account where id = $1', [
      userId,
    ])) as { hash: string | null }[];
    return row?.hash ?? null;
  }

  /** Whether the hash was the one of before, and is replaced. */
  async replace(tx: Transaction, userId: number, before: string, after: string): Promise<boolean> {
    const [, affected] = (await this.managerFor(tx).query(
      'update user_account set password_hash = $3, updated_at = now() where id = $1 and password_hash = $2',
      [userId, before, after],
    )) as [unknown, number];
    return affected === 1;
  }

  async noteLogin(tx: Transaction, userId: number): Promise<void> {
    await this.managerFor(tx).query('update user_account set last_login_at = now() where id = $1', [userId]);
  }
}
