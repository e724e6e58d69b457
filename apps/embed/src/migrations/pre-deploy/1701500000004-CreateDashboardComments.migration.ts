import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateDashboardComments1701500000004 implements MigrationInterface {
  readonly name = 'CreateDashboardComments1701500000004';

  /** Ids of dashboards and deployments are those of workspace and control-plane. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table dashboard_comment (
        id bigint generated always as identity constraint dashboard_comment_id_pk primary key,
        tenant_id bigint not null,
        embed_tenant_id bigint not null,
        deployment_id bigint not null,
        dashboard_id bigint not null,
        root_id bigint constraint dashboard_comment_root_id_fk references dashboard_comment (id) on delete cascade,
        author_id bigint not null,
        body text not null,
        created_at timestamptz not null default now(),
        edited_at timestamptz,
        removed_at timestamptz,
        resolved_at timestamptz,
        reply_count int not null default 0,
        thread_bytes int not null default 0,
        constraint dashboard_comment_author_id_fk
          foreign key (embed_tenant_id, author_id) references embed_user (embed_tenant_id, id) on delete cascade,
        constraint dashboard_comment_resolved_at_check check (root_id is null or resolved_at is null)
      );
      create index dashboard_comment_embed_tenant_id_dashboard_id_id_index
        on dashboard_comment (embed_tenant_id, dashboard_id, id) where root_id is null;
      create index dashboard_comment_root_id_id_index on dashboard_comment (root_id, id);
      create index dashboard_comment_embed_tenant_id_author_id_index on dashboard_comment (embed_tenant_id, author_id);
      create index dashboard_comment_tenant_id_deployment_id_index on dashboard_comment (tenant_id, deployment_id)`);
    await enableTenantIsolation(queryRunner, 'dashboard_comment');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table dashboard_comment');
  }
}
