import { BaseRepository, type Transaction } from '@plinth/database';
import { LessThan } from 'typeorm';
import { SigningKey } from './signing-key.entity';

/** Generations of keys that tokens are verified with: the current one and the one before. */
const PUBLISHED = 2;

export class SigningKeysRepository extends BaseRepository {
  /** The published keys of the transaction's tenant, the current one first. */
  list(tx: Transaction): Promise<SigningKey[]> {
    return this.managerFor(tx).find(SigningKey, { order: { generation: 'DESC' }, take: PUBLISHED });
  }

  /** Adds a generation, unless somebody else has just done so, and forgets those that are no longer published. */
  async add(tx: Transaction, key: Omit<SigningKey, 'createdAt'>): Promise<void> {
    const manager = this.managerFor(tx);
    await manager
      .createQueryBuilder()
      .insert()
      .into(SigningKey)
      .values(key as object)
      .orIgnore()
      .execute();
    await manager.delete(SigningKey, { generation: LessThan(key.generation - PUBLISHED + 1) });
  }
}
