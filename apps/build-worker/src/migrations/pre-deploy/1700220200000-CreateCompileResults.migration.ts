import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateCompileResults1700220200000 implements MigrationInterface {
  readonly name = 'CreateCompileResults1700220200000';

  async up(queryRunner: QueryRunner): Promise<void> {
    // json, not jsonb: messages may hold characters that jsonb refuses, and nobody searches in them.
    await queryRunner.query(`
      create table compile_result (
        tenant_id bigint not null,
        deployment_id bigint not null
          constraint compile_result_deployment_id_fk references repository on delete cascade,
        key text not null,
        result json not null,
        last_used_at timestamptz not null default now(),
        constraint compile_result_deployment_id_key_pk primary key (deployment_id, key)
      );
      create index compile_result_deployment_id_last_used_at_index on compile_result (deployment_id, last_used_at desc);
      create index compile_result_last_used_at_index on compile_result (last_used_at)`);
    await enableTenantIsolation(queryRunner, 'compile_result');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table compile_result');
  }
}
