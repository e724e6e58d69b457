import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AllowAccountsWithoutAddress1700930000001 implements MigrationInterface {
  readonly name = 'AllowAccountsWithoutAddress1700930000001';

  /** Users whom an identity provider made without an address had their name for one. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table user_account alter column email drop not null');
    await searchText(queryRunner, `coalesce(email, '')`);
    await everyRow(
      queryRunner,
      `update user_account set email = null
       where is_external and profile is not null and lower(email) = lower(username)
         and not coalesce(folded_profile @> jsonb_build_object('emails', jsonb_build_array(
           jsonb_build_object('value', lower(email)))), false)`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await everyRow(queryRunner, 'update user_account set email = username where email is null');
    await queryRunner.query('alter table user_account alter column email set not null');
    await searchText(queryRunner, 'email');
  }
}

/** The expression of a generated column cannot be changed before PostgreSQL 17. */
async function searchText(queryRunner: QueryRunner, email: string): Promise<void> {
  await queryRunner.query(`
    alter table user_account drop column search_text;
    alter table user_account add column search_text text not null
      generated always as (lower(coalesce(first_name, '') || chr(10) || username || chr(10) || ${email})) stored;
    create index user_account_tenant_id_search_text_index
      on user_account using gin (tenant_id public.int8_ops, search_text public.gin_trgm_ops)`);
}

/** The owner of the table is subject to row-level security while it is forced. */
async function everyRow(queryRunner: QueryRunner, statement: string): Promise<void> {
  await queryRunner.query('alter table user_account no force row level security');
  await queryRunner.query(statement);
  await queryRunner.query('alter table user_account force row level security');
}
