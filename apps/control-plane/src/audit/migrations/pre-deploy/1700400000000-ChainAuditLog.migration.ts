import { enableTenantIsolation, namesOf } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const { role, systemRole } = namesOf('control-plane');

/**
 * The audit log: a table for each month, which the service's roles read and append to, and the head of every tenant's
 * chain. The table that it replaces was never released, so there are no events to carry over.
 */
export class ChainAuditLog1700400000000 implements MigrationInterface {
  readonly name = 'ChainAuditLog1700400000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop table audit_event; ${tables}`);
    for (const table of ['audit_event', 'audit_chain']) await enableTenantIsolation(queryRunner, table);
    await queryRunner.query(`
      revoke update, delete, truncate on audit_event from ${role}, ${systemRole};
      revoke all on audit_event_default from ${role}, ${systemRole};
      revoke delete, truncate on audit_chain from ${role}, ${systemRole};
      ${partitionMaker}
      revoke all on function make_audit_partitions from public;
      grant execute on function make_audit_partitions to ${systemRole};
      select make_audit_partitions(3)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop function make_audit_partitions; drop table audit_event, audit_chain');
  }
}

const tables = `
  create table audit_event (
    tenant_id bigint not null,
    id bigint not null,
    event_id uuid not null,
    occurred_at timestamptz(3) not null,
    event text not null,
    actor_type text not null,
    actor_id text not null,
    actor_email text,
    client_ip text,
    deployment_id bigint,
    deployment_name text,
    request_id text,
    attributes json not null,
    hash bytea not null,
    constraint audit_event_tenant_id_id_occurred_at_pk primary key (tenant_id, id, occurred_at),
    constraint audit_event_tenant_id_event_id_occurred_at_unique unique (tenant_id, event_id, occurred_at)
  ) partition by range (occurred_at);
  create index audit_event_tenant_id_occurred_at_id_index on audit_event (tenant_id, occurred_at, id);
  create index audit_event_tenant_id_event_occurred_at_id_index on audit_event (tenant_id, event, occurred_at, id);
  create index audit_event_tenant_id_actor_email_occurred_at_id_index
    on audit_event (tenant_id, lower(actor_email), occurred_at, id);
  create index audit_event_tenant_id_deployment_id_id_index on audit_event (tenant_id, deployment_id, id);

  create function audit_document(
    event text, actor_email text, client_ip text, deployment_name text, request_id text, attributes json
  ) returns tsvector language sql immutable parallel safe return
    to_tsvector('simple', event || ' ' || coalesce(actor_email, '') || ' ' || coalesce(client_ip, '') || ' ' ||
      coalesce(deployment_name, '') || ' ' || coalesce(request_id, ''))
    || json_to_tsvector('simple', attributes, '["all"]');
  create index audit_event_document_index on audit_event
    using gin (audit_document(event, actor_email, client_ip, deployment_name, request_id, attributes));

  create table audit_event_default partition of audit_event default;

  create table audit_chain (
    tenant_id bigint not null constraint audit_chain_tenant_id_pk primary key,
    length bigint not null,
    hash bytea not null
  );`;

/**
 * Runs as the owner, because the service's roles make no tables. A month of which the default partition has events
 * already stays there.
 */
const partitionMaker = `
  create function make_audit_partitions(months_ahead integer) returns void
  language plpgsql security definer set search_path from current set lock_timeout = '3s' as $$
  declare
    month timestamp;
    partition text;
  begin
    perform pg_advisory_xact_lock(hashtextextended('make_audit_partitions', 0));
    for ahead in 0..months_ahead loop
      month := date_trunc('month', now() at time zone 'UTC') + make_interval(months => ahead);
      partition := 'audit_event_' || to_char(month, 'YYYY_MM');
      continue when to_regclass(partition) is not null;
      begin
        execute format('create table %I (like audit_event including all)', partition);
        execute format('revoke all on %I from ${role}, ${systemRole}', partition);
        execute format(
          'alter table audit_event attach partition %I for values from (%L) to (%L)',
          partition, month at time zone 'UTC', (month + interval '1 month') at time zone 'UTC');
      exception when check_violation then
        null;
      end;
    end loop;
  end $$;`;
