import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Folders are listed in the order of their positions, and a new one comes after the last. */
export class OrderFoldersByPosition1701800000000 implements MigrationInterface {
  readonly name = 'OrderFoldersByPosition1701800000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create index item_deployment_id_parent_id_position_index on item (deployment_id, parent_id, position, id)
        include (tenant_id) where type = 'FOLDER'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index item_deployment_id_parent_id_position_index');
  }
}
