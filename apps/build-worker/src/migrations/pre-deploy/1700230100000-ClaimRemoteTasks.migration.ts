import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ClaimRemoteTasks1700230100000 implements MigrationInterface {
  readonly name = 'ClaimRemoteTasks1700230100000';

  async up(queryRunner: QueryRunner): Promise<void> {
    // Tells one claim of a task from the next; null while nobody has claimed it.
    await queryRunner.query('alter table remote_task add column claim_id uuid');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table remote_task drop column claim_id');
  }
}
