import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Mails with password links that are still to be handed over. */
export class CreatePasswordMails1701320000001 implements MigrationInterface {
  readonly name = 'CreatePasswordMails1701320000001';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table password_mail (
        user_id bigint constraint password_mail_user_id_pk primary key
          constraint password_mail_user_id_fk references user_account (id) on delete cascade,
        tenant_id bigint not null,
        purpose text not null,
        sealed_url text not null,
        message_id text not null,
        expires_at timestamptz not null,
        attempts int not null default 0,
        next_attempt_at timestamptz not null default now(),
        claim_id uuid,
        lease_expires_at timestamptz
      );
      create index password_mail_next_attempt_at_index on password_mail (next_attempt_at)`);
    await enableTenantIsolation(queryRunner, 'password_mail');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table password_mail');
  }
}
