import { AppError } from '@plinth/errors';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { BaseRepository } from './base-repository';
import type { ServiceSchema } from './service-schema';
import { enableTenantIsolation } from './tenant-isolation';
import { managerFor, type Transaction } from './transaction';

/** A table of unique texts. */
export class Notes1700000000001 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'create table note (tenant_id bigint not null, text text not null, constraint note_text_unique unique (text))',
    );
    await enableTenantIsolation(queryRunner, 'note');
  }

  async down(): Promise<void> {}
}

export const notesSchema: ServiceSchema = {
  service: 'control-plane',
  entities: [],
  migrations: { preDeploy: [Notes1700000000001], postDeploy: [] },
};

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
