import type { ServiceName } from '@plinth/contract';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import type { MigrationClass } from '../migrate';
import { serviceSchema } from '../service-schema';
import { enableTenantIsolation } from '../tenancy/tenant-isolation';

/** The first migration of every service: tables for retry safety and for events in both directions. */
export function createSharedTables(service: ServiceName): MigrationClass {
  const target = serviceSchema(service);

  return class CreateSharedTables1700000000000 implements MigrationInterface {
    readonly name = 'CreateSharedTables1700000000000';

    async up(queryRunner: QueryRunner): Promise<void> {
      await queryRunner.query(`
        create table "${target.schema}".outbox (
          id bigint generated always as identity constraint outbox_id_pk primary key,
          tenant_id bigint not null,
          event_id uuid not null,
          type text not null,
          consumer text not null,
          payload jsonb not null,
          occurred_at timestamptz not null default now(),
          attempts integer not null default 0,
          next_attempt_at timestamptz not null default now()
        )`);
      await queryRunner.query(
        `create index outbox_next_attempt_at_index on "${target.schema}".outbox (next_attempt_at, id)`,
      );
      await queryRunner.query(`
        create table "${target.schema}".inbox (
          tenant_id bigint not null,
          event_id uuid not null,
          applied_at timestamptz not null default now(),
          constraint inbox_tenant_id_event_id_pk primary key (tenant_id, event_id)
        )`);
      await queryRunner.query(`
        create table "${target.schema}".idempotency_record (
          tenant_id bigint not null,
          credential_id text not null,
          key text not null,
          fingerprint text not null,
          reply text not null,
          created_at timestamptz not null default now(),
          constraint idempotency_record_tenant_id_credential_id_key_pk primary key (tenant_id, credential_id, key)
        )`);
      await queryRunner.query(
        `create index idempotency_record_created_at_index on "${target.schema}".idempotency_record (created_at)`,
      );
      await queryRunner.query(`create index inbox_applied_at_index on "${target.schema}".inbox (applied_at)`);
      for (const table of ['outbox', 'inbox', 'idempotency_record']) {
        await enableTenantIsolation(queryRunner, target, table);
      }
    }

    async down(queryRunner: QueryRunner): Promise<void> {
      for (const table of ['outbox', 'inbox', 'idempotency_record']) {
        await queryRunner.query(`drop table "${target.schema}"."${table}"`);
      }
    }
  };
}
