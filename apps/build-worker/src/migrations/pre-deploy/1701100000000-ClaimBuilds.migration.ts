import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ClaimBuilds1701100000000 implements MigrationInterface {
  readonly name = 'ClaimBuilds1701100000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    // Tells one claim of a build from the next; null while nobody has claimed it.
    await queryRunner.query('alter table build add column claim_id uuid');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table build drop column claim_id');
  }
}
