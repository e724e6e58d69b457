import type { EntityManager } from 'typeorm';
import { UniqueViolation } from './database-error';
import { managerFor, type Transaction } from './transaction';

/** Parent of repositories: the only place where a transaction shows its TypeORM side. */
export abstract class BaseRepository {
  protected managerFor(tx: Transaction): EntityManager {
    return managerFor(tx);
  }

  /** Runs a write and turns the violation of a named unique constraint into the error of that constraint. */
  protected async mapUnique<T>(errors: Record<string, () => Error>, write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      const mapped = errors[UniqueViolation.from(error)?.constraint ?? ''];
      throw mapped ? mapped() : error;
    }
  }
}
