import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = [
  'embed_tenant',
  'embed_group',
  'embed_user',
  'embed_group_member',
  'embed_user_account_group',
  'embed_user_attribute',
];

export class CreateEmbedIdentities1701400000000 implements MigrationInterface {
  readonly name = 'CreateEmbedIdentities1701400000000';

  /** Ids of groups and attributes of the account are those of control-plane, which says when one is gone. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table embed_tenant (
        id bigint generated always as identity constraint embed_tenant_id_pk primary key,
        tenant_id bigint not null,
        name text not null,
        display_name text,
        created_at timestamptz not null default now(),
        constraint embed_tenant_tenant_id_name_unique unique (tenant_id, name),
        constraint embed_tenant_tenant_id_id_unique unique (tenant_id, id)
      );

      create table embed_group (
        id bigint generated always as identity constraint embed_group_id_pk primary key,
        tenant_id bigint not null,
        embed_tenant_id bigint,
        kind text not null constraint embed_group_kind_check check (kind in ('own', 'tenant', 'everyone')),
        name text not null,
        description text,
        created_at timestamptz not null default now(),
        constraint embed_group_embed_tenant_id_check check ((kind = 'everyone') = (embed_tenant_id is null)),
        constraint embed_group_embed_tenant_id_fk
          foreign key (tenant_id, embed_tenant_id) references embed_tenant (tenant_id, id) on delete cascade,
        constraint embed_group_embed_tenant_id_id_unique unique (embed_tenant_id, id)
      );
      create unique index embed_group_embed_tenant_id_name_unique on embed_group (embed_tenant_id, lower(name));
      create unique index embed_group_tenant_id_unique on embed_group (tenant_id) where kind = 'everyone';

      create table embed_user (
        id bigint generated always as identity constraint embed_user_id_pk primary key,
        tenant_id bigint not null,
        embed_tenant_id bigint not null,
        external_id text not null,
        email text,
        display_name text,
        picture text,
        last_login_at timestamptz,
        created_at timestamptz not null default now(),
        shown_email text not null generated always as (coalesce(email, external_id || '@cubecloud.dev')) stored,
        constraint embed_user_embed_tenant_id_fk
          foreign key (tenant_id, embed_tenant_id) references embed_tenant (tenant_id, id) on delete cascade,
        constraint embed_user_embed_tenant_id_external_id_unique unique (embed_tenant_id, external_id),
        constraint embed_user_embed_tenant_id_id_unique unique (embed_tenant_id, id),
        constraint embed_user_tenant_id_id_unique unique (tenant_id, id)
      );
      create index embed_user_embed_tenant_id_shown_email_id_index on embed_user (embed_tenant_id, shown_email, id);

      create table embed_group_member (
        id bigint generated always as identity constraint embed_group_member_id_pk primary key,
        tenant_id bigint not null,
        embed_tenant_id bigint not null,
        group_id bigint not null,
        embed_user_id bigint not null,
        created_at timestamptz not null default now(),
        constraint embed_group_member_group_id_fk
          foreign key (embed_tenant_id, group_id) references embed_group (embed_tenant_id, id) on delete cascade,
        constraint embed_group_member_embed_user_id_fk
          foreign key (embed_tenant_id, embed_user_id) references embed_user (embed_tenant_id, id) on delete cascade,
        constraint embed_group_member_group_id_embed_user_id_unique unique (group_id, embed_user_id)
      );
      create index embed_group_member_group_id_id_index on embed_group_member (group_id, id);
      create index embed_group_member_embed_tenant_id_embed_user_id_index
        on embed_group_member (embed_tenant_id, embed_user_id);

      create table embed_user_account_group (
        tenant_id bigint not null,
        embed_user_id bigint not null,
        group_id bigint not null,
        constraint embed_user_account_group_embed_user_id_fk
          foreign key (tenant_id, embed_user_id) references embed_user (tenant_id, id) on delete cascade,
        constraint embed_user_account_group_embed_user_id_group_id_pk primary key (embed_user_id, group_id)
      );
      create index embed_user_account_group_tenant_id_group_id_index on embed_user_account_group (tenant_id, group_id);

      create table embed_user_attribute (
        tenant_id bigint not null,
        embed_user_id bigint not null,
        attribute_id bigint not null,
        value jsonb,
        constraint embed_user_attribute_embed_user_id_fk
          foreign key (tenant_id, embed_user_id) references embed_user (tenant_id, id) on delete cascade,
        constraint embed_user_attribute_embed_user_id_attribute_id_pk primary key (embed_user_id, attribute_id)
      );
      create index embed_user_attribute_tenant_id_attribute_id_index on embed_user_attribute (tenant_id, attribute_id)`);
    for (const table of tables) await enableTenantIsolation(queryRunner, table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of [...tables].reverse()) await queryRunner.query(`drop table ${table}`);
  }
}
