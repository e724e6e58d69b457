import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Outlives the integration and the user that the tokens were of, hence without references to either. */
export class QueueProviderRevocations1700700000002 implements MigrationInterface {
  readonly name = 'QueueProviderRevocations1700700000002';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table provider_revocation (
        id bigint generated always as identity constraint provider_revocation_id_pk primary key,
        tenant_id bigint not null,
        user_id bigint not null,
        integration_id bigint not null,
        client jsonb not null,
        sealed_access_token text not null,
        sealed_refresh_token text,
        attempts integer not null default 0,
        next_attempt_at timestamptz not null default now()
      );
      create index provider_revocation_attempts_index on provider_revocation (attempts, next_attempt_at)`);
    await enableTenantIsolation(queryRunner, 'provider_revocation');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table provider_revocation');
  }
}
