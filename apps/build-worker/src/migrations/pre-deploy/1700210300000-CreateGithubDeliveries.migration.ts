import { declareGlobalTable } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateGithubDeliveries1700210300000 implements MigrationInterface {
  readonly name = 'CreateGithubDeliveries1700210300000';

  /** Global: a delivery is known before it is known whom it concerns, and may concern several tenants. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table github_delivery (
        delivery_id uuid constraint github_delivery_delivery_id_pk primary key,
        received_at timestamptz not null default now()
      );
      create index github_delivery_received_at_index on github_delivery (received_at)`);
    await declareGlobalTable(queryRunner, 'github_delivery');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table github_delivery');
  }
}
