import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateEmbedShares1701330000000 implements MigrationInterface {
  readonly name = 'CreateEmbedShares1701330000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      alter table item
        add column embed_owner_id bigint,
        add column embed_tenant_name text,
        add constraint item_embed_owner_check check (
          embed_owner_id is null and embed_tenant_name is null or embed_owner_id is not null and owner_id is null
        );
      create index item_deployment_id_embed_owner_id_index on item (deployment_id, embed_owner_id)
        where embed_owner_id is not null;
      create index item_tenant_id_embed_tenant_name_index on item (tenant_id, embed_tenant_name)
        where embed_tenant_name is not null;

      create table embed_share (
        id bigint generated always as identity constraint embed_share_id_pk primary key,
        tenant_id bigint not null,
        deployment_id bigint not null,
        item_id bigint not null constraint embed_share_item_id_fk references item (id) on delete cascade,
        embed_tenant_id bigint,
        embed_tenant_name text,
        group_id bigint,
        created_by bigint,
        created_at timestamptz not null default now(),
        constraint embed_share_audience_check check ((embed_tenant_id is null) = (embed_tenant_name is null)),
        constraint embed_share_item_id_embed_tenant_id_unique unique nulls not distinct (item_id, embed_tenant_id)
      );
      create index embed_share_deployment_id_embed_tenant_name_index
        on embed_share (deployment_id, embed_tenant_name, item_id);
      create index embed_share_embed_tenant_id_index on embed_share (embed_tenant_id)
        where embed_tenant_id is not null`);
    await enableTenantIsolation(queryRunner, 'embed_share');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table embed_share');
    await queryRunner.query('alter table item drop column embed_owner_id, drop column embed_tenant_name');
  }
}
