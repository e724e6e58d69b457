import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = ['deployment', 'deployment_secret', 'deployment_version_use', 'env_variable', 'environment_token'];

export class CreateDeployments1700100000000 implements MigrationInterface {
  readonly name = 'CreateDeployments1700100000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table deployment (
        id bigint generated always as identity constraint deployment_id_pk primary key,
        tenant_id bigint not null,
        name text not null,
        cloud_provider text not null,
        region text not null,
        target_platform text not null,
        is_managed boolean not null,
        creation_step text not null,
        creation_method text,
        deploy_mode text not null,
        deploy_branch_name text not null,
        deploy_branch_read_only boolean not null,
        deploy_branch_merge_allowed boolean not null,
        deploy_project_root text not null,
        template text not null,
        template_variables jsonb not null,
        release_channel text not null,
        version text not null,
        is_version_held boolean not null,
        custom_domain text,
        default_launchpad_view_group text,
        launchpad_tabs text[],
        csps_config jsonb,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now()
      );
      create unique index deployment_tenant_id_name_unique on deployment (tenant_id, lower(name));
      create index deployment_tenant_id_id_index on deployment (tenant_id, id);

      create table deployment_secret (
        deployment_id bigint constraint deployment_secret_deployment_id_pk primary key
          constraint deployment_secret_deployment_id_fk references deployment on delete cascade,
        tenant_id bigint not null,
        sealed_secret text not null
      );

      create table deployment_version_use (
        tenant_id bigint not null,
        release_channel text not null,
        version text not null,
        last_used_at timestamptz not null default now(),
        constraint deployment_version_use_tenant_id_release_channel_version_pk
          primary key (tenant_id, release_channel, version)
      );

      create table env_variable (
        deployment_id bigint not null constraint env_variable_deployment_id_fk references deployment on delete cascade,
        name text collate "C" not null,
        tenant_id bigint not null,
        sealed_value text not null,
        constraint env_variable_deployment_id_name_pk primary key (deployment_id, name)
      );

      create table environment_token (
        id bigint generated always as identity constraint environment_token_id_pk primary key,
        tenant_id bigint not null,
        deployment_id bigint not null
          constraint environment_token_deployment_id_fk references deployment on delete cascade,
        environment_id bigint not null,
        owner text not null,
        credential_id text not null,
        sealed_content text not null,
        created_at timestamptz not null,
        expires_at timestamptz not null
      );
      create index environment_token_deployment_id_environment_id_owner_id_index
        on environment_token (deployment_id, environment_id, owner, id desc)`);
    for (const table of tables) await enableTenantIsolation(queryRunner, table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop table ${[...tables].reverse().join(', ')}`);
  }
}
