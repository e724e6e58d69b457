import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateScimRequests1700620000000 implements MigrationInterface {
  readonly name = 'CreateScimRequests1700620000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table scim_request (
        tenant_id bigint not null,
        id uuid not null,
        occurred_at timestamptz not null,
        request_id text not null,
        caller_kind text,
        caller_id bigint,
        caller_user_id bigint,
        caller_name text,
        method text not null,
        path text not null,
        query jsonb not null,
        status smallint not null,
        scim_type text,
        code text,
        duration_ms bigint not null,
        constraint scim_request_tenant_id_id_pk primary key (tenant_id, id)
      );
      create index scim_request_tenant_id_occurred_at_id_index on scim_request (tenant_id, occurred_at, id);
      create index scim_request_failed_index on scim_request (tenant_id, occurred_at, id) where status >= 400;
      create index scim_request_token_index on scim_request (tenant_id, caller_id, occurred_at, id)
        where caller_kind = 'scim-token';
      create index scim_request_occurred_at_index on scim_request (occurred_at)`);
    await enableTenantIsolation(queryRunner, 'scim_request');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table scim_request');
  }
}
