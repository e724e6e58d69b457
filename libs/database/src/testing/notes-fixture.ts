import { AppError } from '@plinth/errors';
import { notesSchemaOf } from '@plinth/testing';
import { BaseRepository, managerFor, type Transaction } from '..';

export const notesSchema = notesSchemaOf('control-plane');

export class NoteRepository extends BaseRepository {
  async add(tx: Transaction, text: string): Promise<void> {
    const sql = 'insert into note (tenant_id, text) values ($1, $2)';
    await this.mapUnique({ note_text_unique: () => new AppError('deployment.name_taken', 'taken') }, () =>
      managerFor(tx).query(sql, [tx.tenantId, text]),
    );
  }
}

/** Resolves when `open` is called. */
export function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
