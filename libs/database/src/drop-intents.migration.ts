import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * For services that write to no git repository: takes away the shared table that only the git journal uses.
 *
 * @throws Error when there are rows in it; they stay.
 */
export class DropIntents1701200000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- Row-level security would hide rows from the owner, too.
      alter table intent no force row level security;
      do $$ begin
        if exists (select from intent) then
          raise exception 'The table %.intent has rows, though this service writes to no git repository', current_schema()
            using hint = 'Find out where they come from, keep what matters, delete them and start again.';
        end if;
      end $$;
      drop table intent`);
  }

  async down(): Promise<void> {}
}
