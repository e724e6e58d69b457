import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = ['user_group', 'user_group_member', 'user_attribute', 'user_attribute_value', 'user_invitation'];

export class ExtendAccounts1700200000000 implements MigrationInterface {
  readonly name = 'ExtendAccounts1700200000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create extension if not exists pg_trgm with schema public;
      create extension if not exists btree_gin with schema public;

      alter table user_account
        add column last_name text,
        add column title text,
        add column picture text,
        add column settings jsonb not null default '{}',
        add column notifications text[] not null default '{}',
        add column tos_accepted jsonb,
        add column embed_theme jsonb,
        add column security_context jsonb,
        add column external_id text,
        add column is_external boolean not null default false,
        add column password_hash text,
        add column joined_at timestamptz default now(),
        add column last_login_at timestamptz,
        add column search_text text not null
          generated always as (lower(coalesce(first_name, '') || chr(10) || username || chr(10) || email)) stored,
        add constraint user_account_tenant_id_id_unique unique (tenant_id, id);
      create unique index user_account_tenant_id_username_unique on user_account (tenant_id, lower(username));
      create unique index user_account_tenant_id_external_id_unique on user_account (tenant_id, external_id);
      create index user_account_tenant_id_search_text_index
        on user_account using gin (tenant_id public.int8_ops, search_text public.gin_trgm_ops);

      create table user_group (
        id bigint generated always as identity constraint user_group_id_pk primary key,
        tenant_id bigint not null,
        name text not null,
        description text,
        external_id text,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        constraint user_group_tenant_id_id_unique unique (tenant_id, id)
      );
      create unique index user_group_tenant_id_name_unique on user_group (tenant_id, lower(name));
      create unique index user_group_tenant_id_external_id_unique on user_group (tenant_id, external_id);

      create table user_group_member (
        id bigint generated always as identity constraint user_group_member_id_pk primary key,
        tenant_id bigint not null,
        group_id bigint not null,
        user_id bigint not null,
        created_at timestamptz not null default now(),
        constraint user_group_member_group_id_fk
          foreign key (tenant_id, group_id) references user_group (tenant_id, id) on delete cascade,
        constraint user_group_member_user_id_fk
          foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade,
        constraint user_group_member_group_id_user_id_unique unique (group_id, user_id)
      );
      create index user_group_member_group_id_id_index on user_group_member (group_id, id);
      create index user_group_member_user_id_index on user_group_member (user_id);

      create table user_attribute (
        id bigint generated always as identity constraint user_attribute_id_pk primary key,
        tenant_id bigint not null,
        name text not null,
        type text not null,
        default_value text,
        display_name text,
        description text,
        constraint user_attribute_tenant_id_id_unique unique (tenant_id, id),
        constraint user_attribute_tenant_id_name_unique unique (tenant_id, name)
      );

      create table user_attribute_value (
        tenant_id bigint not null,
        user_id bigint not null,
        user_attribute_id bigint not null,
        value jsonb,
        constraint user_attribute_value_user_id_user_attribute_id_pk primary key (user_id, user_attribute_id),
        constraint user_attribute_value_user_id_fk
          foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade,
        constraint user_attribute_value_user_attribute_id_fk
          foreign key (tenant_id, user_attribute_id) references user_attribute (tenant_id, id) on delete cascade
      );
      create index user_attribute_value_user_attribute_id_index on user_attribute_value (user_attribute_id);

      create table user_invitation (
        user_id bigint constraint user_invitation_user_id_pk primary key,
        tenant_id bigint not null,
        token_hash text not null constraint user_invitation_token_hash_unique unique,
        expires_at timestamptz not null,
        constraint user_invitation_user_id_fk
          foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade
      )`);
    for (const table of tables) await enableTenantIsolation(queryRunner, table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      drop table ${[...tables].reverse().join(', ')};
      drop index user_account_tenant_id_search_text_index, user_account_tenant_id_external_id_unique,
        user_account_tenant_id_username_unique;
      alter table user_account
        drop constraint user_account_tenant_id_id_unique, drop column search_text, drop column last_login_at,
        drop column joined_at, drop column password_hash, drop column is_external, drop column external_id,
        drop column security_context, drop column embed_theme, drop column tos_accepted, drop column notifications,
        drop column settings, drop column picture, drop column title, drop column last_name`);
  }
}
