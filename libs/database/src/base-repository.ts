import type { EntityManager } from 'typeorm';
import { UniqueViolation } from './database-error';
import { namedByText, type NamedStatement } from './named-statement';
import { send, type Reader } from './reader';
import { managerFor, type Transaction } from './transaction';

/** Parent of repositories: the only place where a transaction shows its TypeORM side. */
export abstract class BaseRepository {
  protected managerFor(tx: Transaction): EntityManager {
    return managerFor(tx);
  }

  /** Rows of a statement that the server keeps prepared: for what is asked so often that planning it each time would show. */
  protected prepared<Row>(
    from: Reader,
    statement: NamedStatement | string,
    values: readonly unknown[],
  ): Promise<Row[]> {
    return from[send]<Row>(typeof statement === 'string' ? namedByText(statement) : statement, values);
  }

  /** Rows of a statement that is planned for its values each time: for what takes other ways with other values. */
  protected planned<Row>(from: Reader, text: string, values: readonly unknown[]): Promise<Row[]> {
    return from[send]<Row>({ name: '', text }, values);
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
