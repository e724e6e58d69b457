import { BaseRepository, type Transaction } from '@plinth/database';
import { User } from './user.entity';

export interface NewUser {
  tenantId: number;
  email: string;
  isAdmin: boolean;
}

export class UsersRepository extends BaseRepository {
  findById(tx: Transaction, id: number): Promise<User | null> {
    return this.managerFor(tx).findOneBy(User, { id });
  }

  findByEmail(tx: Transaction, tenantId: number, email: string): Promise<User | null> {
    return this.managerFor(tx)
      .createQueryBuilder(User, 'user')
      .where('user.tenantId = :tenantId and lower(user.email) = lower(:email)', { tenantId, email })
      .getOne();
  }

  /** An administrator of the tenant, the one who was there first. */
  findFirstAdmin(tx: Transaction, tenantId: number): Promise<User | null> {
    return this.managerFor(tx).findOne(User, { where: { tenantId, isAdmin: true }, order: { id: 'ASC' } });
  }

  insert(tx: Transaction, { tenantId, email, isAdmin }: NewUser): Promise<User> {
    const user = { tenantId, email, username: email, firstName: null, isAdmin, deactivatedAt: null };
    return this.managerFor(tx).save(User, user) as Promise<User>;
  }
}
