import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateChats1701520000000 implements MigrationInterface {
  readonly name = 'CreateChats1701520000000';

  /** An answer is under way until `running_until`, which the process that gives it moves on: one that dies blocks nobody. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table chat_thread (
        id uuid constraint chat_thread_id_pk primary key,
        tenant_id bigint not null,
        agent_id bigint not null,
        deployment_id bigint not null,
        owner text not null,
        title text not null,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        turn_id uuid,
        running_message_id text,
        running_until timestamptz,
        constraint chat_thread_agent_id_fk
          foreign key (tenant_id, agent_id) references agent (tenant_id, id) on delete cascade,
        constraint chat_thread_tenant_id_id_unique unique (tenant_id, id)
      );
      create index chat_thread_tenant_id_owner_updated_at_id_index on chat_thread (tenant_id, owner, updated_at, id);
      create index chat_thread_tenant_id_agent_id_index on chat_thread (tenant_id, agent_id);
      create index chat_thread_updated_at_index on chat_thread (updated_at);

      create table chat_message (
        tenant_id bigint not null,
        thread_id uuid not null,
        sort integer not null,
        line jsonb not null,
        constraint chat_message_thread_id_fk
          foreign key (tenant_id, thread_id) references chat_thread (tenant_id, id) on delete cascade,
        constraint chat_message_tenant_id_thread_id_sort_pk primary key (tenant_id, thread_id, sort)
      )`);
    for (const table of ['chat_thread', 'chat_message']) await enableTenantIsolation(queryRunner, table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table chat_message, chat_thread');
  }
}
