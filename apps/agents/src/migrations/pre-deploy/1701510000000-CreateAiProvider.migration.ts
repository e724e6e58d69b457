import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateAiProvider1701510000000 implements MigrationInterface {
  readonly name = 'CreateAiProvider1701510000000';

  /** The identity `account` stands for all that an account has used, so that a budget is one row. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table ai_provider (
        tenant_id bigint constraint ai_provider_tenant_id_pk primary key,
        kind text not null constraint ai_provider_kind_check check (kind in ('openai-compatible', 'anthropic')),
        base_url text not null,
        model text not null,
        sealed_key text,
        monthly_tokens bigint,
        monthly_tokens_per_user bigint,
        updated_at timestamptz not null default now()
      );
      create table ai_usage (
        tenant_id bigint not null,
        month date not null,
        identity text not null,
        turns bigint not null,
        input_tokens bigint not null,
        output_tokens bigint not null,
        constraint ai_usage_tenant_id_month_identity_pk primary key (tenant_id, month, identity)
      )`);
    for (const table of ['ai_provider', 'ai_usage']) await enableTenantIsolation(queryRunner, table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table ai_usage, ai_provider');
  }
}
