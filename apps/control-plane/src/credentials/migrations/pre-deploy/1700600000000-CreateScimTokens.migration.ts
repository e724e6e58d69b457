import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateScimTokens1700600000000 implements MigrationInterface {
  readonly name = 'CreateScimTokens1700600000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table scim_token (
        id bigint generated always as identity constraint scim_token_id_pk primary key,
        tenant_id bigint not null,
        name text,
        prefix text not null,
        token_hash text not null constraint scim_token_token_hash_unique unique,
        created_at timestamptz not null default now(),
        expires_at timestamptz,
        last_used_at timestamptz
      );
      create index scim_token_tenant_id_id_index on scim_token (tenant_id, id desc)`);
    await enableTenantIsolation(queryRunner, 'scim_token');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table scim_token');
  }
}
