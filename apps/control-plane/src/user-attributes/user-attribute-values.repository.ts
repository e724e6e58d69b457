import { BaseRepository, type Transaction } from '@plinth/database';
import { UserAttributeValue } from './user-attribute-value.entity';

export class UserAttributeValuesRepository extends BaseRepository {
  list(tx: Transaction, userId: number): Promise<UserAttributeValue[]> {
    return this.managerFor(tx).findBy(UserAttributeValue, { userId });
  }

  async set(tx: Transaction, value: UserAttributeValue): Promise<void> {
    await this.managerFor(tx).upsert(UserAttributeValue, value as never, ['userId', 'userAttributeId']);
  }
}
