import type { MigrationInterface, QueryRunner } from 'typeorm';

/** For searches with many matches in these orders, which end when a page is full. */
export class OrderContentByTime1701810000000 implements MigrationInterface {
  readonly name = 'OrderContentByTime1701810000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create index item_deployment_id_type_created_at_index on item (deployment_id, type, created_at, id);
      create index item_deployment_id_type_updated_at_index on item (deployment_id, type, updated_at, id)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      drop index item_deployment_id_type_updated_at_index;
      drop index item_deployment_id_type_created_at_index`);
  }
}
