import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateEngineLogs1701200000000 implements MigrationInterface {
  readonly name = 'CreateEngineLogs1701200000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table engine_log_line (
        id bigint generated always as identity constraint engine_log_line_id_pk primary key,
        tenant_id bigint not null,
        deployment_id bigint not null,
        environment_id bigint not null,
        pod text not null,
        container text not null,
        message text not null,
        logged_at timestamptz not null
      );
      create index engine_log_line_deployment_id_id_index on engine_log_line (deployment_id, id);
      create index engine_log_line_environment_id_id_index on engine_log_line (environment_id, id);
      create index engine_log_line_logged_at_index on engine_log_line (logged_at)`);
    await enableTenantIsolation(queryRunner, 'engine_log_line');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table engine_log_line');
  }
}
