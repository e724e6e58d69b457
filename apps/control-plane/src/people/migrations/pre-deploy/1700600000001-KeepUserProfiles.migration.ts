import type { MigrationInterface, QueryRunner } from 'typeorm';

export class KeepUserProfiles1700600000001 implements MigrationInterface {
  readonly name = 'KeepUserProfiles1700600000001';

  /** `folded` holds every attribute by lower-case names with lower-case values, so that one index serves all filters. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create function folded_profile(profile jsonb, email text, first_name text, last_name text, title text)
      returns jsonb language sql immutable parallel safe as $$
        select lower(coalesce(profile, jsonb_strip_nulls(jsonb_build_object(
          'displayName', first_name,
          'title', title,
          'name', jsonb_build_object('givenName', first_name, 'familyName', last_name),
          'emails', jsonb_build_array(jsonb_build_object('value', email, 'type', 'work', 'primary', true))
        )))::text)::jsonb
      $$;
      alter table user_account
        add column profile jsonb,
        add column folded_profile jsonb not null
          generated always as (folded_profile(profile, email, first_name, last_name, title)) stored;
      create index user_account_tenant_id_folded_profile_index
        on user_account using gin (tenant_id public.int8_ops, folded_profile jsonb_path_ops);
      create index user_account_tenant_id_updated_at_index on user_account (tenant_id, updated_at)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      drop index user_account_tenant_id_updated_at_index, user_account_tenant_id_folded_profile_index;
      alter table user_account drop column folded_profile, drop column profile;
      drop function folded_profile`);
  }
}
