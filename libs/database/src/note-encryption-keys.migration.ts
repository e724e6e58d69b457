import type { MigrationInterface, QueryRunner } from 'typeorm';
import { declareGlobalTable } from './tenant-isolation';

/** Which keys the secrets of the schema may be sealed under, by their ids. */
export class NoteEncryptionKeys1701700000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table encryption_key (
        key_id text not null constraint encryption_key_key_id_pk primary key,
        noted_at timestamptz not null default now()
      )`);
    await declareGlobalTable(queryRunner, 'encryption_key');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table encryption_key');
  }
}
