import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ExpireApiKeys1700910000001 implements MigrationInterface {
  readonly name = 'ExpireApiKeys1700910000001';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table api_key add column expires_at timestamptz');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table api_key drop column expires_at');
  }
}
