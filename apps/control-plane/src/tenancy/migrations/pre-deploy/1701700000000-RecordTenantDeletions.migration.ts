import { declareGlobalTable } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Belongs to no tenant: it says what became of those that are gone. */
export class RecordTenantDeletions1701700000000 implements MigrationInterface {
  readonly name = 'RecordTenantDeletions1701700000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table tenant_deletion (
        id bigint generated always as identity constraint tenant_deletion_id_pk primary key,
        deleted_tenant_id bigint not null,
        name text not null,
        hosts text[] not null,
        began_at timestamptz not null default now(),
        finished_at timestamptz,
        deleted_rows bigint not null default 0,
        repositories integer not null default 0,
        audit_events bigint not null,
        audit_hash bytea
      );
      create index tenant_deletion_name_index on tenant_deletion (name)`);
    await declareGlobalTable(queryRunner, 'tenant_deletion');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table tenant_deletion');
  }
}
