import type { MigrationInterface, QueryRunner } from 'typeorm';

export class KeepTranspiledModels1701210000000 implements MigrationInterface {
  readonly name = 'KeepTranspiledModels1701210000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table compile_result add column transpiled bytea');
    // It is compressed already.
    await queryRunner.query('alter table compile_result alter column transpiled set storage external');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table compile_result drop column transpiled');
  }
}
