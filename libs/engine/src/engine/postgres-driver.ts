import { PostgresDriver } from '@cubejs-backend/postgres-driver';
import { type CancelablePromise, decorateWithCancel } from '@cubejs-backend/shared';

class Cancelled extends Error {
  override readonly name = 'Cancelled';

  constructor() {
    super('The query was cancelled');
  }
}

/** A query that may be cancelled at any time of its life. */
class Running {
  /** Of the server's process that works for it. */
  processId: number | undefined;
  cancelled = false;
}

/** PostgreSQL, where a query that nobody waits for any more is ended at the source, too. */
export class CancellablePostgresDriver extends PostgresDriver {
  override query<R = unknown>(query: string, values: unknown[]): CancelablePromise<R[]> {
    const running = new Running();
    const result = this.runCancellable<R>(query, values, running);
    return decorateWithCancel(result, () => this.cancel(running)) as CancelablePromise<R[]>;
  }

  private async runCancellable<R>(query: string, values: unknown[] | undefined, running: Running): Promise<R[]> {
    PostgresDriver.checkValuesLimit(values);
    return this.withConnection(async (connection) => {
      await this.prepareConnection(connection);
      if (running.cancelled) throw new Cancelled();
      running.processId = processIdOf(connection);
      try {
        const types = { getTypeParser: this.getTypeParser as never };
        const { rows } = await connection.query({ text: query, values: values ?? [], types });
        return rows as R[];
      } finally {
        running.processId = undefined;
      }
    });
  }

  private async cancel(running: Running): Promise<void> {
    running.cancelled = true;
    const { processId } = running;
    if (processId === undefined) return;
    await this.withConnection((connection) => connection.query('SELECT pg_cancel_backend($1)', [processId]));
  }
}

/** `pg` has it, and its types do not know. */
const processIdOf = (connection: object): number | undefined =>
  (connection as { processID?: number | null }).processID ?? undefined;
