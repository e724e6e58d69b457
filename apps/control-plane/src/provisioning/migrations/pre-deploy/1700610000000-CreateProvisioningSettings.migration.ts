import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = ['provisioning_settings', 'provisioning_group_role'];

export class CreateProvisioningSettings1700610000000 implements MigrationInterface {
  readonly name = 'CreateProvisioningSettings1700610000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table provisioning_settings (
        tenant_id bigint not null constraint provisioning_settings_tenant_id_pk primary key,
        default_role_id bigint,
        constraint provisioning_settings_default_role_id_fk
          foreign key (tenant_id, default_role_id) references role (tenant_id, id)
          on delete set null (default_role_id)
      );
      create index provisioning_settings_default_role_id_index on provisioning_settings (default_role_id);

      create table provisioning_group_role (
        tenant_id bigint not null,
        position integer not null,
        group_name text not null,
        role_id bigint not null,
        constraint provisioning_group_role_tenant_id_position_pk primary key (tenant_id, position),
        constraint provisioning_group_role_role_id_fk
          foreign key (tenant_id, role_id) references role (tenant_id, id) on delete cascade
      );
      create unique index provisioning_group_role_tenant_id_group_name_unique
        on provisioning_group_role (tenant_id, lower(group_name));
      create index provisioning_group_role_role_id_index on provisioning_group_role (role_id)`);
    for (const table of tables) await enableTenantIsolation(queryRunner, table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop table ${tables.join(', ')}`);
  }
}
