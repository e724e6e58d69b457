import type { MigrationInterface, QueryRunner } from 'typeorm';

export class OrderContentByName1701500000000 implements MigrationInterface {
  readonly name = 'OrderContentByName1701500000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'create index item_deployment_id_parent_id_name_index on item (deployment_id, parent_id, lower(name), id)',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index item_deployment_id_parent_id_name_index');
  }
}
