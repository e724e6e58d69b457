import { declareGlobalTable } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Belongs to no tenant: whoever guesses from one address can do so at all of them. */
export class CountFailedAttempts1700700000001 implements MigrationInterface {
  readonly name = 'CountFailedAttempts1700700000001';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table failed_attempt (
        subject_hash text not null,
        attempts integer not null,
        ends_at timestamptz not null,
        constraint failed_attempt_subject_hash_pk primary key (subject_hash)
      );
      create index failed_attempt_ends_at_index on failed_attempt (ends_at)`);
    await declareGlobalTable(queryRunner, 'failed_attempt');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table failed_attempt');
  }
}
