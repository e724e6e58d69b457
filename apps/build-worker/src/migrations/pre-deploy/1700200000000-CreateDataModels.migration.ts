import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateDataModels1700200000000 implements MigrationInterface {
  readonly name = 'CreateDataModels1700200000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table repository (
        deployment_id bigint constraint repository_deployment_id_pk primary key,
        tenant_id bigint not null,
        deploy_mode text not null,
        deploy_branch_name text not null,
        deploy_branch_read_only boolean not null,
        deploy_branch_merge_allowed boolean not null,
        deploy_project_root text not null,
        provisioned_at timestamptz not null default now()
      );

      create table branch (
        id bigint generated always as identity constraint branch_id_pk primary key,
        tenant_id bigint not null,
        deployment_id bigint not null
          constraint branch_deployment_id_fk references repository on delete cascade,
        name text not null,
        kind text not null constraint branch_kind_check check (kind in ('deploy', 'shared', 'dev')),
        parent_id bigint constraint branch_parent_id_fk references branch,
        start_commit text not null,
        owner_credential_id text,
        owner_user_id bigint,
        owner_email text,
        is_staging_environment_enabled boolean not null default false,
        created_at timestamptz not null default now(),
        constraint branch_tenant_id_deployment_id_name_unique unique (tenant_id, deployment_id, name)
      );
      create index branch_tenant_id_deployment_id_id_index on branch (tenant_id, deployment_id, id);
      create index branch_parent_id_index on branch (parent_id);
      create unique index branch_deployment_id_unique on branch (deployment_id) where kind = 'deploy';

      create table dev_session (
        tenant_id bigint not null,
        deployment_id bigint not null,
        credential_id text not null,
        branch_id bigint not null constraint dev_session_branch_id_fk references branch on delete cascade,
        started_at timestamptz not null default now(),
        constraint dev_session_tenant_id_deployment_id_credential_id_pk
          primary key (tenant_id, deployment_id, credential_id)
      );
      create index dev_session_branch_id_index on dev_session (branch_id);

      create table build (
        id bigint generated always as identity constraint build_id_pk primary key,
        tenant_id bigint not null,
        deployment_id bigint not null
          constraint build_deployment_id_fk references repository on delete cascade,
        branch_name text not null,
        commit_hash text not null,
        tree_hash text not null,
        status text not null
          constraint build_status_check check (status in ('queued', 'building', 'built', 'failed', 'cancelled')),
        error_text text,
        worker_id text,
        lease_expires_at timestamptz,
        attempts integer not null default 0,
        created_at timestamptz not null default now(),
        started_at timestamptz,
        finished_at timestamptz
      );
      create index build_tenant_id_deployment_id_branch_name_id_index
        on build (tenant_id, deployment_id, branch_name, id desc);
      create index build_id_index on build (id) where status in ('queued', 'building');
      -- Whatever the workers do, a deployment has one running build.
      create unique index build_deployment_id_unique on build (deployment_id) where status = 'building'`);
    for (const table of ['repository', 'branch', 'dev_session', 'build']) {
      await enableTenantIsolation(queryRunner, table);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table build, dev_session, branch, repository');
  }
}
