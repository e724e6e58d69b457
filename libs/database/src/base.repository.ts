import type { EntityManager } from 'typeorm';
import { managerOf, type Transaction } from './transaction';

/** What every repository builds on. Methods are named for their use and take and return plain values. */
export abstract class BaseRepository {
  protected managerFor(tx: Transaction): EntityManager {
    return managerOf(tx);
  }
}
