import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A host leads to one deployment, whoever has it: of those that named the same domain, the oldest keeps it. */
export class UniqueCustomDomains1701200000000 implements MigrationInterface {
  readonly name = 'UniqueCustomDomains1701200000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      update deployment later set custom_domain = null
      where exists (select from deployment earlier
                    where earlier.custom_domain = later.custom_domain and earlier.id < later.id);
      create unique index deployment_custom_domain_unique on deployment (custom_domain)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index deployment_custom_domain_unique');
  }
}
