import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateGithubInstallations1700210100000 implements MigrationInterface {
  readonly name = 'CreateGithubInstallations1700210100000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table github_installation (
        tenant_id bigint not null,
        installation_id bigint not null,
        login text not null,
        account_type text not null
          constraint github_installation_account_type_check check (account_type in ('Organization', 'User')),
        avatar_url text not null,
        suspended_at timestamptz,
        linked_at timestamptz not null default now(),
        constraint github_installation_tenant_id_installation_id_pk primary key (tenant_id, installation_id)
      );
      create index github_installation_installation_id_index on github_installation (installation_id);

      create table github_link_use (
        request_id uuid constraint github_link_use_request_id_pk primary key,
        tenant_id bigint not null,
        used_at timestamptz not null default now()
      );
      create index github_link_use_used_at_index on github_link_use (used_at)`);
    await enableTenantIsolation(queryRunner, 'github_installation');
    await enableTenantIsolation(queryRunner, 'github_link_use');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table github_link_use, github_installation');
  }
}
