import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateAgents1701500000000 implements MigrationInterface {
  readonly name = 'CreateAgents1701500000000';

  /** Deployments are those of control-plane, which says when one is gone. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table agent (
        id bigint generated always as identity constraint agent_id_pk primary key,
        tenant_id bigint not null,
        deployment_id bigint not null,
        is_automatic boolean not null,
        name text not null,
        instructions text,
        model text,
        views jsonb,
        allow_embedding boolean not null default false,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        constraint agent_tenant_id_id_unique unique (tenant_id, id)
      );
      create unique index agent_tenant_id_deployment_id_name_unique on agent (tenant_id, deployment_id, lower(name));
      create unique index agent_tenant_id_deployment_id_automatic_unique on agent (tenant_id, deployment_id)
        where is_automatic;
      create index agent_tenant_id_deployment_id_id_index on agent (tenant_id, deployment_id, id)`);
    await enableTenantIsolation(queryRunner, 'agent');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table agent');
  }
}
