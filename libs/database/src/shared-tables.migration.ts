import type { MigrationInterface, QueryRunner } from 'typeorm';
import { enableTenantIsolation } from './tenant-isolation';

/** The tables that this library keeps in every service's schema. */
export class SharedTables1700000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table outbox (
        event_id uuid not null,
        consumer text not null,
        tenant_id bigint not null,
        type text not null,
        payload jsonb not null,
        occurred_at timestamptz not null default now(),
        attempts integer not null default 0,
        next_attempt_at timestamptz not null default now(),
        constraint outbox_event_id_consumer_pk primary key (event_id, consumer)
      );
      create index outbox_next_attempt_at_index on outbox (next_attempt_at);

      create table inbox (
        event_id uuid not null constraint inbox_event_id_pk primary key,
        tenant_id bigint not null,
        received_at timestamptz not null default now()
      );
      create index inbox_received_at_index on inbox (received_at);

      create table idempotency_record (
        tenant_id bigint not null,
        credential_id text not null,
        key text not null,
        fingerprint text not null,
        reply text not null,
        created_at timestamptz not null default now(),
        constraint idempotency_record_tenant_id_credential_id_key_pk primary key (tenant_id, credential_id, key)
      );
      create index idempotency_record_created_at_index on idempotency_record (created_at);

      create table intent (
        id uuid not null constraint intent_id_pk primary key,
        tenant_id bigint not null,
        deployment_id bigint not null,
        refs jsonb not null,
        details jsonb not null,
        events jsonb not null,
        credential_id text,
        key text,
        fingerprint text,
        reply text not null,
        lock_id text not null,
        created_at timestamptz not null default now()
      );
      create index intent_lock_id_index on intent (lock_id);
      create index intent_created_at_index on intent (created_at);
    `);
    for (const table of ['outbox', 'inbox', 'idempotency_record', 'intent']) {
      await enableTenantIsolation(queryRunner, table);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table outbox, inbox, idempotency_record, intent');
  }
}
