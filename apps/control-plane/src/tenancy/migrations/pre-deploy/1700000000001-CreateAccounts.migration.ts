import { declareGlobalTable, enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateAccounts1700000000001 implements MigrationInterface {
  readonly name = 'CreateAccounts1700000000001';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table tenant (
        id bigint generated always as identity constraint tenant_id_pk primary key,
        name text not null constraint tenant_name_unique unique,
        created_at timestamptz not null default now()
      );
      create table tenant_host (
        host text constraint tenant_host_host_pk primary key,
        tenant_id bigint not null constraint tenant_host_tenant_id_fk references tenant on delete cascade
      );
      create index tenant_host_tenant_id_index on tenant_host (tenant_id);

      create table user_account (
        id bigint generated always as identity constraint user_account_id_pk primary key,
        tenant_id bigint not null,
        email text not null,
        username text not null,
        first_name text,
        is_admin boolean not null default false,
        deactivated_at timestamptz,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now()
      );
      create unique index user_account_tenant_id_email_unique on user_account (tenant_id, lower(email));

      create table api_key (
        id bigint generated always as identity constraint api_key_id_pk primary key,
        tenant_id bigint not null,
        user_id bigint not null constraint api_key_user_id_fk references user_account on delete cascade,
        name text,
        prefix text not null,
        token_hash text not null constraint api_key_token_hash_unique unique,
        deployment_ids bigint[],
        created_at timestamptz not null default now(),
        last_used_at timestamptz
      );
      create index api_key_tenant_id_id_index on api_key (tenant_id, id desc);
      create index api_key_user_id_index on api_key (user_id);

      create table audit_event (
        id bigint generated always as identity constraint audit_event_id_pk primary key,
        tenant_id bigint not null,
        event_id uuid not null,
        occurred_at timestamptz not null,
        event text not null,
        actor_type text not null,
        actor_id text not null,
        actor_email text,
        client_ip text,
        deployment_id bigint,
        request_id text,
        attributes jsonb not null,
        constraint audit_event_tenant_id_event_id_unique unique (tenant_id, event_id)
      );
      create index audit_event_tenant_id_occurred_at_id_index on audit_event (tenant_id, occurred_at, id)`);
    for (const table of ['tenant', 'tenant_host']) await declareGlobalTable(queryRunner, table);
    for (const table of ['user_account', 'api_key', 'audit_event']) await enableTenantIsolation(queryRunner, table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table audit_event, api_key, user_account, tenant_host, tenant');
  }
}
