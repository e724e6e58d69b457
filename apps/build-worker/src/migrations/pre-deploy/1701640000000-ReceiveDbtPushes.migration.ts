import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ReceiveDbtPushes1701640000000 implements MigrationInterface {
  readonly name = 'ReceiveDbtPushes1701640000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      alter table dbt_source
        add sealed_webhook_secret text,
        -- The newest push that no run has begun for.
        add waiting_push jsonb;
      create index dbt_source_waiting_push_index on dbt_source (deployment_id) where waiting_push is not null;

      create table dbt_delivery (
        deployment_id bigint not null
          constraint dbt_delivery_deployment_id_fk references dbt_source on delete cascade,
        tenant_id bigint not null,
        -- SHA-256 of what was signed.
        digest text not null,
        received_at timestamptz not null default now(),
        constraint dbt_delivery_pk primary key (deployment_id, digest)
      );
      create index dbt_delivery_received_at_index on dbt_delivery (received_at)`);
    await enableTenantIsolation(queryRunner, 'dbt_delivery');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      drop table dbt_delivery;
      alter table dbt_source drop sealed_webhook_secret, drop waiting_push`);
  }
}
