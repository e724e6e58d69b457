import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateDbtSyncs1701600100000 implements MigrationInterface {
  readonly name = 'CreateDbtSyncs1701600100000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table dbt_source (
        deployment_id bigint constraint dbt_source_deployment_id_pk primary key
          constraint dbt_source_deployment_id_fk references repository on delete cascade,
        tenant_id bigint not null,
        url text not null,
        settings jsonb not null,
        sealed_token text,
        updated_at timestamptz not null default now()
      );

      create table dbt_sync (
        id bigint generated always as identity constraint dbt_sync_id_pk primary key,
        job_id uuid not null default gen_random_uuid() constraint dbt_sync_job_id_unique unique,
        tenant_id bigint not null,
        deployment_id bigint not null
          constraint dbt_sync_deployment_id_fk references repository on delete cascade,
        status text not null default 'RUNNING' constraint dbt_sync_status_check
          check (status in ('RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED', 'UNKNOWN')),
        trigger text not null
          constraint dbt_sync_trigger_check check (trigger in ('manual', 'api', 'webhook', 'agent', 'unknown')),
        trigger_context jsonb,
        source text not null constraint dbt_sync_source_check check (source in ('git', 'manifest')),
        output text not null constraint dbt_sync_output_check check (output in ('branch', 'files')),
        git_ref text,
        branch_name text not null,
        user_id bigint,
        author_name text not null,
        author_email text not null,
        -- Where the repository of the data model keeps the manifest that was sent.
        manifest_oid text,
        -- Holds the generated files, whether a branch points at it or not.
        commit_hash text,
        stage text not null default 'INITIALIZING',
        message text,
        phases jsonb not null default '[]',
        stats jsonb,
        result jsonb,
        error_text text,
        failed_phase text,
        started_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        finished_at timestamptz,
        attempts integer not null default 0,
        claim_id uuid,
        lease_expires_at timestamptz
      );
      -- One at a time a deployment.
      create unique index dbt_sync_running_unique on dbt_sync (deployment_id) where status = 'RUNNING';
      create index dbt_sync_open_index on dbt_sync (lease_expires_at) where status = 'RUNNING';
      create index dbt_sync_deployment_id_id_index on dbt_sync (deployment_id, id);
      create index dbt_sync_started_at_index on dbt_sync (started_at);

      create table dbt_sync_log (
        id bigint generated always as identity constraint dbt_sync_log_id_pk primary key,
        sync_id bigint not null constraint dbt_sync_log_sync_id_fk references dbt_sync on delete cascade,
        tenant_id bigint not null,
        level text not null constraint dbt_sync_log_level_check check (level in ('info', 'error')),
        stream text not null,
        phase text,
        message text not null,
        duration_ms bigint,
        written_at timestamptz not null default now()
      );
      create index dbt_sync_log_sync_id_id_index on dbt_sync_log (sync_id, id)`);
    for (const table of ['dbt_source', 'dbt_sync', 'dbt_sync_log']) await enableTenantIsolation(queryRunner, table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table dbt_sync_log, dbt_sync, dbt_source');
  }
}
