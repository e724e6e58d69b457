import type { MigrationInterface, QueryRunner } from 'typeorm';

export class LetExternalIdsRepeat1700930000000 implements MigrationInterface {
  readonly name = 'LetExternalIdsRepeat1700930000000';

  /** An external id is the identity provider's own affair: filters find all who have it. */
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of tables) {
      await queryRunner.query(`
        create index ${table}_tenant_id_external_id_index on ${table} (tenant_id, external_id);
        drop index ${table}_tenant_id_external_id_unique`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of tables) {
      await queryRunner.query(`
        create unique index ${table}_tenant_id_external_id_unique on ${table} (tenant_id, external_id);
        drop index ${table}_tenant_id_external_id_index`);
    }
  }
}

const tables = ['user_account', 'user_group'];
