import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AllowPersonalApiKeys1700410000001 implements MigrationInterface {
  readonly name = 'AllowPersonalApiKeys1700410000001';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'alter table tenant_settings add column allow_personal_api_keys boolean not null default false',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table tenant_settings drop column allow_personal_api_keys');
  }
}
