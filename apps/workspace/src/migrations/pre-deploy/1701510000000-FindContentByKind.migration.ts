import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Folders are searched apart from all else, and are few. */
export class FindContentByKind1701510000000 implements MigrationInterface {
  readonly name = 'FindContentByKind1701510000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      drop index item_deployment_id_name_index;
      create index item_deployment_id_type_name_index on item
        using gin (deployment_id public.int8_ops, type public.text_ops, lower(name) public.gin_trgm_ops)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      drop index item_deployment_id_type_name_index;
      create index item_deployment_id_name_index
        on item using gin (deployment_id public.int8_ops, lower(name) public.gin_trgm_ops)`);
  }
}
