import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateTenantSettings1700410000000 implements MigrationInterface {
  readonly name = 'CreateTenantSettings1700410000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table tenant_settings (
        tenant_id bigint not null constraint tenant_settings_tenant_id_pk primary key,
        audit_log_enabled boolean not null default false,
        audit_log_switched_at timestamptz,
        has_support_access boolean not null default false,
        use_ai_bi_user_interface boolean not null default true,
        maintenance_window_enabled boolean not null default false,
        maintenance_window_day text not null default 'Sunday',
        maintenance_window_time text not null default '02:00',
        oidc_enabled boolean not null default false,
        usage_analytics_enabled boolean not null default true,
        scim_enabled boolean not null default true,
        app_config jsonb not null default '{}'
      )`);
    await enableTenantIsolation(queryRunner, 'tenant_settings');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table tenant_settings');
  }
}
