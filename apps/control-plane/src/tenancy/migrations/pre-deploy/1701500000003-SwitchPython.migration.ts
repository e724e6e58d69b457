import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SwitchPython1701500000003 implements MigrationInterface {
  readonly name = 'SwitchPython1701500000003';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table tenant_settings add column python_enabled boolean not null default true');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table tenant_settings drop column python_enabled');
  }
}
