import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What tokens for data APIs are revoked by: numbered secrets that are replaced, and a count of ends of a user's tokens. */
export class RotateDeploymentSecrets1700910000000 implements MigrationInterface {
  readonly name = 'RotateDeploymentSecrets1700910000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      alter table user_account add column token_generation integer not null default 0;

      alter table deployment_secret add column version integer not null default 1;

      create table previous_deployment_secret (
        deployment_id bigint not null
          constraint previous_deployment_secret_deployment_id_fk references deployment on delete cascade,
        version integer not null,
        tenant_id bigint not null,
        sealed_secret text not null,
        expires_at timestamptz not null,
        constraint previous_deployment_secret_deployment_id_version_pk primary key (deployment_id, version)
      );
      create index previous_deployment_secret_expires_at_index on previous_deployment_secret (expires_at);

      create index environment_token_tenant_id_owner_index on environment_token (tenant_id, owner);
      create index environment_token_expires_at_index on environment_token (expires_at)`);
    await enableTenantIsolation(queryRunner, 'previous_deployment_secret');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      drop index environment_token_expires_at_index;
      drop index environment_token_tenant_id_owner_index;
      drop table previous_deployment_secret;
      alter table deployment_secret drop column version;
      alter table user_account drop column token_generation`);
  }
}
