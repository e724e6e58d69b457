import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = ['oauth_artefact', 'signing_key'];

export class CreateOAuth1700430000000 implements MigrationInterface {
  readonly name = 'CreateOAuth1700430000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table oauth_artefact (
        tenant_id bigint not null,
        kind text not null,
        id_hash text not null,
        alias_hash text,
        grant_hash text,
        user_id bigint,
        client_id text,
        scope text,
        sealed_content text not null,
        consumed_at timestamptz,
        polled_at timestamptz,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        constraint oauth_artefact_tenant_id_kind_id_hash_pk primary key (tenant_id, kind, id_hash),
        constraint oauth_artefact_user_id_fk
          foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade
      );
      create index oauth_artefact_tenant_id_kind_alias_hash_index on oauth_artefact (tenant_id, kind, alias_hash);
      create unique index oauth_artefact_tenant_id_user_code_unique on oauth_artefact (tenant_id, alias_hash)
        where kind = 'DeviceCode';
      create index oauth_artefact_tenant_id_grant_hash_index on oauth_artefact (tenant_id, grant_hash);
      create index oauth_artefact_user_id_index on oauth_artefact (user_id);
      create index oauth_artefact_expires_at_index on oauth_artefact (expires_at);

      create table signing_key (
        tenant_id bigint not null,
        generation integer not null,
        key_id text not null,
        public_key jsonb not null,
        sealed_private_key text not null,
        created_at timestamptz not null default now(),
        constraint signing_key_tenant_id_generation_pk primary key (tenant_id, generation)
      )`);
    for (const table of tables) await enableTenantIsolation(queryRunner, table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop table ${tables.join(', ')}`);
  }
}
