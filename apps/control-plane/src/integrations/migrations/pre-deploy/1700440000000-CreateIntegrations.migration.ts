import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = ['oauth_integration', 'user_oauth_token', 'oauth_flow', 'oidc_token_config'];

export class CreateIntegrations1700440000000 implements MigrationInterface {
  readonly name = 'CreateIntegrations1700440000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table oauth_integration (
        id bigint generated always as identity constraint oauth_integration_id_pk primary key,
        tenant_id bigint not null,
        name text not null,
        type text not null,
        auth_url text not null,
        token_url text not null,
        client_id text not null,
        sealed_secret text not null,
        redirect_uri text not null,
        scopes jsonb,
        config jsonb,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        constraint oauth_integration_tenant_id_id_unique unique (tenant_id, id)
      );
      create unique index oauth_integration_tenant_id_name_unique on oauth_integration (tenant_id, lower(name));

      create table user_oauth_token (
        id bigint generated always as identity constraint user_oauth_token_id_pk primary key,
        tenant_id bigint not null,
        user_id bigint not null,
        integration_id bigint not null,
        sealed_access_token text not null,
        access_token_expires_at timestamptz,
        sealed_refresh_token text,
        refresh_token_expires_at timestamptz,
        last_error jsonb,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        constraint user_oauth_token_user_id_integration_id_unique unique (user_id, integration_id),
        constraint user_oauth_token_user_id_fk
          foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade,
        constraint user_oauth_token_integration_id_fk
          foreign key (tenant_id, integration_id) references oauth_integration (tenant_id, id) on delete cascade
      );
      create index user_oauth_token_integration_id_index on user_oauth_token (integration_id);

      create table oauth_flow (
        state_hash text not null constraint oauth_flow_state_hash_pk primary key,
        tenant_id bigint not null,
        user_id bigint not null,
        integration_id bigint not null,
        sealed_verifier text not null,
        expires_at timestamptz not null,
        constraint oauth_flow_user_id_integration_id_unique unique (user_id, integration_id),
        constraint oauth_flow_user_id_fk
          foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade,
        constraint oauth_flow_integration_id_fk
          foreign key (tenant_id, integration_id) references oauth_integration (tenant_id, id) on delete cascade
      );
      create index oauth_flow_integration_id_index on oauth_flow (integration_id);
      create index oauth_flow_expires_at_index on oauth_flow (expires_at);

      create table oidc_token_config (
        id bigint generated always as identity constraint oidc_token_config_id_pk primary key,
        tenant_id bigint not null,
        audience_type text not null,
        audience text not null,
        name text not null,
        sub_format text,
        custom_claims jsonb,
        target_env_var text,
        is_enabled boolean not null,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        constraint oidc_token_config_tenant_id_name_unique unique (tenant_id, name)
      );
      create unique index oidc_token_config_tenant_id_audience_type_unique
        on oidc_token_config (tenant_id, audience_type) where audience_type <> 'Custom'`);
    for (const table of tables) await enableTenantIsolation(queryRunner, table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of [...tables].reverse()) await queryRunner.query(`drop table ${table}`);
  }
}
