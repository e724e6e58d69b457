import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What people see of their sessions: a number to name them by, where they were begun, and when they were last used. */
export class ListSessions1700700000000 implements MigrationInterface {
  readonly name = 'ListSessions1700700000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      alter table oauth_artefact
        add column id bigint generated always as identity,
        add column client_name text,
        add column client_ip text,
        add column last_used_at timestamptz not null default now();
      create unique index oauth_artefact_session_unique on oauth_artefact (tenant_id, user_id, id)
        where kind in ('Grant', 'Session')`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      drop index oauth_artefact_session_unique;
      alter table oauth_artefact
        drop column id, drop column client_name, drop column client_ip, drop column last_used_at`);
  }
}
