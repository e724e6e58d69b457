import { BaseRepository, type Transaction } from '@plinth/database';
import type { AttributeValue } from '@plinth/user-attributes';
import { UserAttributeValue } from './user-attribute-value.entity';

/** A value that a user has, by the name of its attribute. */
export interface NamedValue {
  userId: number;
  name: string;
  value: AttributeValue;
}

export class UserAttributeValuesRepository extends BaseRepository {
  list(tx: Transaction, userId: number): Promise<UserAttributeValue[]> {
    return this.managerFor(tx).findBy(UserAttributeValue, { userId });
  }

  /** Values of many users, with the names of their attributes and in the order of these. */
  listNamed(tx: Transaction, userIds: readonly number[]): Promise<NamedValue[]> {
    return this.managerFor(tx).query<NamedValue[]>(
      `select v.user_id as "userId", a.name, v.value
       from user_attribute_value v join user_attribute a on a.id = v.user_attribute_id
       where v.user_id = any($1) and v.value is not null order by a.name`,
      [userIds],
    );
  }

  set(tx: Transaction, value: UserAttributeValue): Promise<void> {
    return this.setAll(tx, [value]);
  }

  async setAll(tx: Transaction, values: readonly UserAttributeValue[]): Promise<void> {
    await this.managerFor(tx).upsert(UserAttributeValue, values as never, ['userId', 'userAttributeId']);
  }
}
