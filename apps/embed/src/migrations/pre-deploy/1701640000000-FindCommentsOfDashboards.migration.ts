import type { MigrationInterface, QueryRunner } from 'typeorm';

export class FindCommentsOfDashboards1701640000000 implements MigrationInterface {
  readonly name = 'FindCommentsOfDashboards1701640000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create index dashboard_comment_tenant_id_deployment_id_dashboard_id_index
        on dashboard_comment (tenant_id, deployment_id, dashboard_id);
      drop index dashboard_comment_tenant_id_deployment_id_index`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create index dashboard_comment_tenant_id_deployment_id_index on dashboard_comment (tenant_id, deployment_id);
      drop index dashboard_comment_tenant_id_deployment_id_dashboard_id_index`);
  }
}
