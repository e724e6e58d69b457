import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateGitRemotes1700210200000 implements MigrationInterface {
  readonly name = 'CreateGitRemotes1700210200000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table git_remote (
        deployment_id bigint constraint git_remote_deployment_id_pk primary key
          constraint git_remote_deployment_id_fk references repository on delete cascade,
        tenant_id bigint not null,
        kind text not null constraint git_remote_kind_check check (kind in ('github', 'ssh')),
        url text,
        installation_id bigint,
        public_key text,
        sealed_private_key text,
        webhook_token_hash text,
        connected_at timestamptz,
        last_synced_at timestamptz,
        last_error text,
        created_at timestamptz not null default now(),
        constraint git_remote_url_check check (connected_at is null or url is not null)
      );
      -- Finds the deployments of a repository that a webhook names.
      create index git_remote_installation_id_index on git_remote (installation_id);
      create index git_remote_tenant_id_index on git_remote (tenant_id);

      create table remote_task (
        deployment_id bigint not null
          constraint remote_task_deployment_id_fk references git_remote on delete cascade,
        tenant_id bigint not null,
        -- Empty for a task on all branches.
        branch_name text not null,
        kind text not null constraint remote_task_kind_check check (kind in ('sync', 'push', 'remove')),
        -- Grows with every request, so that one that comes while the task runs is not lost.
        version integer not null default 1,
        attempts integer not null default 0,
        next_attempt_at timestamptz not null default now(),
        lease_expires_at timestamptz,
        error_text text,
        created_at timestamptz not null default now(),
        constraint remote_task_deployment_id_branch_name_pk primary key (deployment_id, branch_name)
      );
      create index remote_task_next_attempt_at_index on remote_task (next_attempt_at)`);
    for (const table of ['git_remote', 'remote_task']) await enableTenantIsolation(queryRunner, table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table remote_task, git_remote');
  }
}
