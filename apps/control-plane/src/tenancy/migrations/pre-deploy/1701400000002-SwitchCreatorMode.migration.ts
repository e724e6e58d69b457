import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SwitchCreatorMode1701400000002 implements MigrationInterface {
  readonly name = 'SwitchCreatorMode1701400000002';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'alter table tenant_settings add column creator_mode_enabled boolean not null default true',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table tenant_settings drop column creator_mode_enabled');
  }
}
