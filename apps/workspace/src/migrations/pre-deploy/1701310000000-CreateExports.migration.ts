import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = ['dashboard_export', 'dashboard_export_chunk'];

export class CreateExports1701310000000 implements MigrationInterface {
  readonly name = 'CreateExports1701310000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table dashboard_export (
        id text constraint dashboard_export_id_pk primary key,
        tenant_id bigint not null,
        deployment_id bigint not null,
        dashboard_id bigint not null constraint dashboard_export_dashboard_id_fk references dashboard (id) on delete cascade,
        submitted_by bigint not null,
        identity text not null,
        subject json not null,
        controls json not null,
        format text not null constraint dashboard_export_format_check check (format in ('png', 'pdf')),
        status text not null default 'pending' constraint dashboard_export_status_check
          check (status in ('pending', 'processing', 'completed', 'failed')),
        progress int not null default 0 constraint dashboard_export_progress_check check (progress between 0 and 100),
        error_text text,
        chunks int not null default 0,
        attempts integer not null default 0,
        claim_id uuid,
        lease_expires_at timestamptz,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null
      );
      create index dashboard_export_open_index on dashboard_export (created_at)
        where status in ('pending', 'processing');
      create index dashboard_export_tenant_id_identity_index on dashboard_export (tenant_id, identity)
        where status in ('pending', 'processing');
      create index dashboard_export_expires_at_index on dashboard_export (expires_at);
      create index dashboard_export_dashboard_id_index on dashboard_export (dashboard_id);

      create table dashboard_export_chunk (
        export_id text constraint dashboard_export_chunk_export_id_fk references dashboard_export (id) on delete cascade,
        tenant_id bigint not null,
        position int constraint dashboard_export_chunk_position_check check (position between 0 and 63),
        bytes bytea not null constraint dashboard_export_chunk_bytes_check check (length(bytes) <= 1048576),
        constraint dashboard_export_chunk_export_id_position_pk primary key (export_id, position)
      )`);
    for (const table of tables) await enableTenantIsolation(queryRunner, table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of [...tables].reverse()) await queryRunner.query(`drop table ${table}`);
  }
}
