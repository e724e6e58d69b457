import type { Principal } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import { runInContext, type RequestContext } from '@plinth/observability';
import { notesSchemaOf } from '@plinth/testing';
import { BaseRepository, managerFor, type Database, type Transaction } from '..';

export const notesSchema = notesSchemaOf('control-plane');

export class NoteRepository extends BaseRepository {
  async add(tx: Transaction, text: string): Promise<void> {
    const sql = 'insert into note (tenant_id, text) values ($1, $2)';
    await this.mapUnique({ note_text_unique: () => new AppError('deployment.name_taken', 'taken') }, () =>
      managerFor(tx).query(sql, [tx.tenantId, text]),
    );
  }

  /** As an operation does it. */
  addOnce(database: Database, principal: Principal, text: string): Promise<{ text: string }> {
    return database.mutate(principal, async (tx) => {
      await this.add(tx, text);
      return { text };
    });
  }
}

/** Works as for a request with an idempotency key, and tells whether its reply was that of an earlier one. */
export async function request<T>(
  work: () => Promise<T>,
  {
    key = 'k-1',
    fingerprint = 'f-1',
    operationId = 'addNote',
    ...context
  }: Partial<RequestContext> & { key?: string; fingerprint?: string } = {},
): Promise<{ reply: T; replayed: boolean }> {
  const full: RequestContext = { requestId: 'r-1', idempotency: { operationId, key, fingerprint }, ...context };
  return runInContext(full, async () => ({ reply: await work(), replayed: full.replayed ?? false }));
}

/** Resolves when `open` is called. */
export function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
