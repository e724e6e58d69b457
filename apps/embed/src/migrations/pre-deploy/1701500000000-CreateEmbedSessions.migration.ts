import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = ['embed_secret', 'embed_session', 'embed_attribute', 'embed_attribute_value'];

export class CreateEmbedSessions1701500000000 implements MigrationInterface {
  readonly name = 'CreateEmbedSessions1701500000000';

  /** Ids of deployments and of users of the account are those of control-plane. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table embed_secret (
        tenant_id bigint not null,
        version integer not null,
        sealed_secret text not null,
        expires_at timestamptz,
        constraint embed_secret_tenant_id_version_pk primary key (tenant_id, version)
      );
      create unique index embed_secret_tenant_id_unique on embed_secret (tenant_id) where expires_at is null;
      create index embed_secret_expires_at_index on embed_secret (expires_at) where expires_at is not null;

      create table embed_session (
        tenant_id bigint not null,
        id text not null,
        deployment_id bigint not null,
        branch_name text,
        embed_tenant_id bigint,
        embed_user_id bigint,
        user_id bigint,
        user_generation integer,
        is_creator boolean not null,
        context jsonb not null,
        exchanged_at timestamptz,
        expires_at timestamptz not null,
        constraint embed_session_tenant_id_id_pk primary key (tenant_id, id),
        constraint embed_session_user_id_check check ((embed_user_id is null) <> (user_id is null)),
        constraint embed_session_user_generation_check check ((user_generation is null) = (user_id is null)),
        constraint embed_session_embed_tenant_id_fk
          foreign key (tenant_id, embed_tenant_id) references embed_tenant (tenant_id, id) on delete cascade,
        constraint embed_session_embed_user_id_fk
          foreign key (tenant_id, embed_user_id) references embed_user (tenant_id, id) on delete cascade
      );
      create index embed_session_tenant_id_embed_tenant_id_index on embed_session (tenant_id, embed_tenant_id);
      create index embed_session_tenant_id_embed_user_id_index on embed_session (tenant_id, embed_user_id);
      create index embed_session_tenant_id_deployment_id_index on embed_session (tenant_id, deployment_id);
      create index embed_session_expires_at_index on embed_session (expires_at);

      create table embed_attribute (
        id bigint generated always as identity constraint embed_attribute_id_pk primary key,
        tenant_id bigint not null,
        embed_tenant_id bigint not null,
        name text not null,
        type text not null,
        default_value text,
        display_name text,
        description text,
        constraint embed_attribute_embed_tenant_id_fk
          foreign key (tenant_id, embed_tenant_id) references embed_tenant (tenant_id, id) on delete cascade,
        constraint embed_attribute_embed_tenant_id_name_unique unique (embed_tenant_id, name),
        constraint embed_attribute_embed_tenant_id_id_unique unique (embed_tenant_id, id)
      );

      create table embed_attribute_value (
        tenant_id bigint not null,
        embed_tenant_id bigint not null,
        embed_user_id bigint not null,
        attribute_id bigint not null,
        value jsonb,
        constraint embed_attribute_value_attribute_id_fk
          foreign key (embed_tenant_id, attribute_id) references embed_attribute (embed_tenant_id, id) on delete cascade,
        constraint embed_attribute_value_embed_user_id_fk
          foreign key (embed_tenant_id, embed_user_id) references embed_user (embed_tenant_id, id) on delete cascade,
        constraint embed_attribute_value_embed_user_id_attribute_id_pk primary key (embed_user_id, attribute_id)
      );
      create index embed_attribute_value_embed_tenant_id_attribute_id_index
        on embed_attribute_value (embed_tenant_id, attribute_id);
      create index embed_attribute_value_embed_tenant_id_embed_user_id_index
        on embed_attribute_value (embed_tenant_id, embed_user_id)`);
    for (const table of tables) await enableTenantIsolation(queryRunner, table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of [...tables].reverse()) await queryRunner.query(`drop table ${table}`);
  }
}
