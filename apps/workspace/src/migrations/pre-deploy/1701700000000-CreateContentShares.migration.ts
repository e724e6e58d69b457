import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Ids of groups and users are those of the embed service, where none is given twice. */
export class CreateContentShares1701700000000 implements MigrationInterface {
  readonly name = 'CreateContentShares1701700000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table content_share (
        id bigint generated always as identity constraint content_share_id_pk primary key,
        tenant_id bigint not null,
        deployment_id bigint not null,
        item_id bigint not null constraint content_share_item_id_fk references item (id) on delete cascade,
        group_id bigint,
        embed_user_id bigint,
        created_at timestamptz not null default now(),
        constraint content_share_audience_check check (num_nonnulls(group_id, embed_user_id) = 1),
        constraint content_share_item_id_group_id_embed_user_id_unique
          unique nulls not distinct (item_id, group_id, embed_user_id)
      );
      create index content_share_deployment_id_group_id_index on content_share (deployment_id, group_id, item_id)
        where group_id is not null;
      create index content_share_deployment_id_embed_user_id_index on content_share (deployment_id, embed_user_id, item_id)
        where embed_user_id is not null`);
    await enableTenantIsolation(queryRunner, 'content_share');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table content_share');
  }
}
