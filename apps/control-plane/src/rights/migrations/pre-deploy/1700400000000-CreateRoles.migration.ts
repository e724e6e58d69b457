import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = ['role', 'role_assignment', 'group_role_assignment', 'resource_policy'];

export class CreateRoles1700400000000 implements MigrationInterface {
  readonly name = 'CreateRoles1700400000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table role (
        id bigint generated always as identity constraint role_id_pk primary key,
        tenant_id bigint not null,
        name text not null,
        description text,
        is_built_in boolean not null default false,
        policies jsonb not null default '[]',
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        constraint role_tenant_id_id_unique unique (tenant_id, id)
      );
      create unique index role_tenant_id_name_unique on role (tenant_id, lower(name));

      create table role_assignment (
        tenant_id bigint not null,
        user_id bigint not null,
        role_id bigint not null,
        created_at timestamptz not null default now(),
        constraint role_assignment_user_id_role_id_pk primary key (user_id, role_id),
        constraint role_assignment_user_id_fk
          foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade,
        constraint role_assignment_role_id_fk
          foreign key (tenant_id, role_id) references role (tenant_id, id) on delete cascade
      );
      create index role_assignment_role_id_index on role_assignment (role_id);

      create table group_role_assignment (
        tenant_id bigint not null,
        group_id bigint not null,
        role_id bigint not null,
        created_at timestamptz not null default now(),
        constraint group_role_assignment_group_id_role_id_pk primary key (group_id, role_id),
        constraint group_role_assignment_group_id_fk
          foreign key (tenant_id, group_id) references user_group (tenant_id, id) on delete cascade,
        constraint group_role_assignment_role_id_fk
          foreign key (tenant_id, role_id) references role (tenant_id, id) on delete cascade
      );
      create index group_role_assignment_role_id_index on group_role_assignment (role_id);

      create table resource_policy (
        id bigint generated always as identity constraint resource_policy_id_pk primary key,
        tenant_id bigint not null,
        resource_type text not null,
        resource_id bigint not null,
        user_id bigint,
        group_id bigint,
        action text not null,
        updated_at timestamptz not null default now(),
        constraint resource_policy_user_id_fk
          foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade,
        constraint resource_policy_group_id_fk
          foreign key (tenant_id, group_id) references user_group (tenant_id, id) on delete cascade,
        constraint resource_policy_holder_check check (user_id is null or group_id is null),
        constraint resource_policy_resource_holder_unique
          unique nulls not distinct (tenant_id, resource_type, resource_id, user_id, group_id)
      );
      create index resource_policy_user_id_index on resource_policy (user_id);
      create index resource_policy_group_id_index on resource_policy (group_id);
      create index resource_policy_tenant_id_everybody_index
        on resource_policy (tenant_id) where user_id is null and group_id is null;

      alter table api_key add column is_issued_by_operator boolean not null default false;

      insert into role (tenant_id, name, is_built_in)
      select t.id, built_in.name, true
      from tenant t cross join (values ('Admin'), ('Developer'), ('Explorer'), ('Viewer')) as built_in (name)
      order by t.id`);
    for (const table of tables) await enableTenantIsolation(queryRunner, table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      alter table api_key drop column is_issued_by_operator;
      drop table ${[...tables].reverse().join(', ')}`);
  }
}
