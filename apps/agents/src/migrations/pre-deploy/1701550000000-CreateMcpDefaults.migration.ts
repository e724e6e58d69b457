import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateMcpDefaults1701550000000 implements MigrationInterface {
  readonly name = 'CreateMcpDefaults1701550000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table mcp_defaults (
        tenant_id bigint constraint mcp_defaults_tenant_id_pk primary key,
        deployment_id bigint not null,
        agent_id bigint constraint mcp_defaults_agent_id_fk references agent (id) on delete set null
      );
      create index mcp_defaults_agent_id_index on mcp_defaults (agent_id)`);
    await enableTenantIsolation(queryRunner, 'mcp_defaults');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table mcp_defaults');
  }
}
