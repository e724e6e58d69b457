import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = [
  'item',
  'workbook',
  'report',
  'report_placement',
  'dashboard',
  'dashboard_version',
  'report_snapshot',
  'item_view',
  'favorite',
];

export class CreateContent1701300000000 implements MigrationInterface {
  readonly name = 'CreateContent1701300000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table item (
        id bigint generated always as identity constraint item_id_pk primary key,
        tenant_id bigint not null,
        deployment_id bigint not null,
        type text not null constraint item_type_check check (type in ('FOLDER', 'WORKBOOK', 'REPORT')),
        name text not null,
        parent_id bigint constraint item_parent_id_fk references item (id),
        path bigint[] not null default '{}',
        position bigint,
        owner_id bigint,
        created_by bigint,
        updated_by bigint,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        constraint item_position_check check ((type = 'FOLDER') = (position is not null)),
        constraint item_path_check check (parent_id is not distinct from path[cardinality(path)])
      );
      create index item_deployment_id_parent_id_id_index on item (deployment_id, parent_id, id);
      create index item_deployment_id_type_id_index on item (deployment_id, type, id);
      create index item_parent_id_index on item (parent_id);
      create index item_deployment_id_owner_id_index on item (deployment_id, owner_id);
      create index item_tenant_id_owner_id_index on item (tenant_id, owner_id);
      create index item_path_index on item using gin (path);
      create index item_deployment_id_name_index
        on item using gin (deployment_id public.int8_ops, lower(name) public.gin_trgm_ops);

      create table workbook (
        id bigint constraint workbook_id_pk primary key constraint workbook_id_fk references item (id) on delete cascade,
        tenant_id bigint not null,
        deployment_id bigint not null,
        slug text,
        meta json not null,
        calculated_fields json not null,
        dashboard_draft json,
        constraint workbook_deployment_id_slug_unique unique (deployment_id, slug)
      );

      create table report (
        id bigint constraint report_id_pk primary key constraint report_id_fk references item (id) on delete cascade,
        tenant_id bigint not null,
        deployment_id bigint not null,
        public_id text not null,
        title text,
        description text,
        source text,
        json_query text,
        sql_query text,
        meta json,
        pivot_items json,
        version int not null default 1,
        query_checksum text,
        refreshed_at timestamptz,
        refreshed_by bigint,
        refreshed_rows bigint,
        result_checksum text,
        constraint report_tenant_id_public_id_unique unique (tenant_id, public_id)
      );

      create table report_placement (
        id uuid constraint report_placement_id_pk primary key,
        tenant_id bigint not null,
        report_id bigint not null constraint report_placement_report_id_fk references report (id) on delete cascade,
        external_workbook_id text not null,
        external_workbook_name text,
        host text,
        sheet_id text,
        sheet_name text,
        anchor_cell text,
        end_result_cell text,
        result_location text not null,
        query_checksum text,
        result_checksum json,
        placed_at timestamptz not null default now(),
        placed_by bigint,
        refreshed_at timestamptz,
        refreshed_by bigint
      );
      create index report_placement_report_id_index on report_placement (report_id, placed_at);
      create index report_placement_external_workbook_id_index on report_placement (tenant_id, external_workbook_id);

      create table dashboard (
        id bigint generated always as identity constraint dashboard_id_pk primary key,
        tenant_id bigint not null,
        deployment_id bigint not null,
        workbook_id bigint not null constraint dashboard_workbook_id_fk references workbook (id) on delete cascade,
        public_id text not null,
        status text not null,
        allow_embed boolean not null default false,
        created_by bigint,
        constraint dashboard_workbook_id_unique unique (workbook_id),
        constraint dashboard_tenant_id_public_id_unique unique (tenant_id, public_id)
      );

      create table dashboard_version (
        id bigint generated always as identity constraint dashboard_version_id_pk primary key,
        tenant_id bigint not null,
        dashboard_id bigint not null constraint dashboard_version_dashboard_id_fk references dashboard (id) on delete cascade,
        version_number int not null,
        title text,
        description text,
        config json not null,
        published_by bigint,
        published_at timestamptz not null default now(),
        constraint dashboard_version_dashboard_id_version_number_unique unique (dashboard_id, version_number)
      );

      create table report_snapshot (
        id bigint generated always as identity constraint report_snapshot_id_pk primary key,
        tenant_id bigint not null,
        version_id bigint not null constraint report_snapshot_version_id_fk references dashboard_version (id) on delete cascade,
        report_id bigint not null,
        snapshot json not null
      );
      create index report_snapshot_version_id_index on report_snapshot (version_id, id);

      create table item_view (
        tenant_id bigint not null,
        item_id bigint not null constraint item_view_item_id_fk references item (id) on delete cascade,
        user_id bigint not null,
        viewed_at timestamptz not null default now(),
        constraint item_view_item_id_user_id_pk primary key (item_id, user_id)
      );
      create index item_view_user_id_viewed_at_index on item_view (user_id, viewed_at);

      create table favorite (
        tenant_id bigint not null,
        item_id bigint not null constraint favorite_item_id_fk references item (id) on delete cascade,
        user_id bigint not null,
        constraint favorite_item_id_user_id_pk primary key (item_id, user_id)
      );
      create index favorite_user_id_index on favorite (user_id)`);
    for (const table of tables) await enableTenantIsolation(queryRunner, table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of [...tables].reverse()) await queryRunner.query(`drop table ${table}`);
  }
}
