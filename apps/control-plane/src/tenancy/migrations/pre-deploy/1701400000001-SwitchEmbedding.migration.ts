import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SwitchEmbedding1701400000001 implements MigrationInterface {
  readonly name = 'SwitchEmbedding1701400000001';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table tenant_settings add column embedding_enabled boolean not null default true');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table tenant_settings drop column embedding_enabled');
  }
}
