import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = [
  'notification',
  'notification_recipient',
  'notification_run',
  'notification_picture',
  'notification_delivery',
  'mail_allowance',
];

export class CreateNotifications1701320000000 implements MigrationInterface {
  readonly name = 'CreateNotifications1701320000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table notification (
        id bigint generated always as identity constraint notification_id_pk primary key,
        tenant_id bigint not null,
        deployment_id bigint not null,
        dashboard_id bigint not null
          constraint notification_dashboard_id_fk references dashboard (id) on delete cascade,
        cron text not null,
        time_zone text not null,
        next_run_at timestamptz not null,
        is_enabled boolean not null,
        sends_mail boolean not null,
        format text not null constraint notification_format_check check (format in ('png', 'pdf')),
        has_ai_summary boolean not null,
        filters json,
        time_grains json,
        member_switchers json,
        created_by bigint,
        created_at timestamptz not null default now()
      );
      create index notification_deployment_id_id_index on notification (deployment_id, id);
      create index notification_dashboard_id_index on notification (dashboard_id, id);
      create index notification_next_run_at_index on notification (next_run_at) where is_enabled;

      create table notification_recipient (
        id bigint generated always as identity constraint notification_recipient_id_pk primary key,
        tenant_id bigint not null,
        notification_id bigint not null
          constraint notification_recipient_notification_id_fk references notification (id) on delete cascade,
        type text not null constraint notification_recipient_type_check check (type in ('USER', 'EMBED_USER')),
        user_id bigint,
        embed_user_id bigint,
        embed_tenant_name text,
        external_id text,
        email text not null,
        groups json,
        user_attributes json,
        security_context json,
        constraint notification_recipient_id_check check ((type = 'USER') = (user_id is not null)
          and (type = 'EMBED_USER') = (embed_user_id is not null and embed_tenant_name is not null and external_id is not null)),
        constraint notification_recipient_user_id_unique unique (notification_id, user_id),
        constraint notification_recipient_embed_user_id_unique unique (notification_id, embed_user_id)
      );
      create index notification_recipient_notification_id_id_index on notification_recipient (notification_id, id);

      create table notification_run (
        id bigint generated always as identity constraint notification_run_id_pk primary key,
        tenant_id bigint not null,
        deployment_id bigint not null,
        notification_id bigint not null
          constraint notification_run_notification_id_fk references notification (id) on delete cascade,
        cause text not null constraint notification_run_cause_check check (cause in ('SCHEDULE', 'REQUEST', 'PREVIEW')),
        requested_by bigint,
        due_at timestamptz not null,
        started_at timestamptz,
        planned_at timestamptz,
        ended_at timestamptz,
        outcome text not null default 'PENDING',
        reason text,
        subjects int not null default 0,
        attempts int not null default 0,
        next_attempt_at timestamptz not null default now(),
        claim_id uuid,
        lease_expires_at timestamptz,
        constraint notification_run_outcome_check
          check ((outcome = 'PENDING') = (ended_at is null)
            and outcome in ('PENDING', 'DELIVERED', 'PARTLY_DELIVERED', 'FAILED', 'SKIPPED'))
      );
      create index notification_run_notification_id_id_index on notification_run (notification_id, id);
      create index notification_run_next_attempt_at_index on notification_run (next_attempt_at) where ended_at is null;
      create index notification_run_ended_at_index on notification_run (ended_at);
      create unique index notification_run_due_at_unique on notification_run (notification_id, due_at)
        where cause = 'SCHEDULE';
      create unique index notification_run_cause_unique on notification_run (notification_id, cause)
        where ended_at is null and cause <> 'SCHEDULE';

      create table notification_picture (
        tenant_id bigint not null,
        run_id bigint not null
          constraint notification_picture_run_id_fk references notification_run (id) on delete cascade,
        subject_key text not null,
        security_context text not null,
        title text,
        content_type text,
        content bytea,
        error text,
        constraint notification_picture_run_id_subject_key_pk primary key (run_id, subject_key)
      );

      create table notification_delivery (
        id bigint generated always as identity constraint notification_delivery_id_pk primary key,
        tenant_id bigint not null,
        run_id bigint not null
          constraint notification_delivery_run_id_fk references notification_run (id) on delete cascade,
        recipient_id bigint,
        subject_key text not null,
        address text not null,
        message_id text not null,
        state text not null default 'planned'
          constraint notification_delivery_state_check check (state in ('planned', 'sending', 'sent', 'failed')),
        attempts int not null default 0,
        next_attempt_at timestamptz not null default now(),
        handed_over_at timestamptz,
        ended_at timestamptz,
        reason text,
        constraint notification_delivery_run_id_recipient_id_unique unique nulls not distinct (run_id, recipient_id)
      );
      create index notification_delivery_run_id_open_index on notification_delivery (run_id, subject_key, id)
        where state in ('planned', 'sending');

      create table mail_allowance (
        tenant_id bigint constraint mail_allowance_tenant_id_pk primary key,
        minute timestamptz not null,
        used int not null
      )`);
    for (const table of tables) await enableTenantIsolation(queryRunner, table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of [...tables].reverse()) await queryRunner.query(`drop table ${table}`);
  }
}
