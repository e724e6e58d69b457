import { BaseRepository, type Database, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import type { AttributeType } from '@plinth/user-attributes';
import { type FindOptionsWhere, LessThan } from 'typeorm';
import { UserAttribute } from './user-attribute.entity';

export interface AttributeFilter {
  name: string | undefined;
  type: AttributeType | undefined;
}

const nameTaken = {
  user_attribute_tenant_id_name_unique: () =>
    new AppError('user_attribute.name_taken', 'Another attribute has this name already'),
};

export class UserAttributesRepository extends BaseRepository {
  /** Newest first, those older than `beforeId` when it is given. */
  listBefore(tx: Transaction, filter: AttributeFilter, limit: number, beforeId?: number): Promise<UserAttribute[]> {
    const where = { ...matching(filter), ...(beforeId !== undefined && { id: LessThan(beforeId) }) };
    return this.managerFor(tx).find(UserAttribute, { where, order: { id: 'DESC' }, take: limit });
  }

  listSlice(tx: Transaction, filter: AttributeFilter, offset: number, limit: number): Promise<UserAttribute[]> {
    const where = matching(filter);
    return this.managerFor(tx).find(UserAttribute, { where, order: { id: 'DESC' }, skip: offset, take: limit });
  }

  /** All of the tenant, which the limit on their number bounds. */
  listAll(tx: Transaction): Promise<UserAttribute[]> {
    return this.managerFor(tx).find(UserAttribute, { order: { name: 'ASC' } });
  }

  /** As {@link listAll}, what values are checked by; the way for hot reads. */
  readAll(
    database: Database,
    tenantId: number,
  ): Promise<Pick<UserAttribute, 'id' | 'name' | 'type' | 'defaultValue'>[]> {
    const text = `select id, name, type, default_value as "defaultValue" from user_attribute
                  where tenant_id = $1 order by name`;
    return database.read(tenantId, { name: 'user-attributes', text }, [tenantId]);
  }

  count(tx: Transaction, filter: AttributeFilter): Promise<number> {
    return this.managerFor(tx).countBy(UserAttribute, matching(filter));
  }

  find(tx: Transaction, id: number): Promise<UserAttribute | null> {
    return this.managerFor(tx).findOneBy(UserAttribute, { id });
  }

  /** As {@link find}, and nobody deletes it before the transaction ends. */
  hold(tx: Transaction, id: number): Promise<UserAttribute | null> {
    return this.managerFor(tx).findOne(UserAttribute, { where: { id }, lock: { mode: 'for_key_share' } });
  }

  /** @throws AppError `user_attribute.name_taken` (409). */
  insert(tx: Transaction, attribute: Omit<UserAttribute, 'id'>): Promise<UserAttribute> {
    return this.mapUnique(nameTaken, () =>
      this.managerFor(tx).save(UserAttribute, attribute),
    ) as Promise<UserAttribute>;
  }

  save(tx: Transaction, attribute: UserAttribute): Promise<UserAttribute> {
    return this.managerFor(tx).save(UserAttribute, attribute);
  }

  /** Whether it was there. Others hear that it is gone. */
  async delete(tx: Transaction, id: number): Promise<boolean> {
    const { affected } = await this.managerFor(tx).delete(UserAttribute, { id });
    if (affected === 1) tx.emit('user_attribute.deleted', { attributeId: id });
    return affected === 1;
  }
}

const matching = ({ name, type }: AttributeFilter): FindOptionsWhere<UserAttribute> => ({
  ...(name !== undefined && { name }),
  ...(type !== undefined && { type }),
});
