import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AllowEmbedOrigins1701500000001 implements MigrationInterface {
  readonly name = 'AllowEmbedOrigins1701500000001';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table tenant_settings add column embed_origins jsonb not null default '[]'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table tenant_settings drop column embed_origins');
  }
}
