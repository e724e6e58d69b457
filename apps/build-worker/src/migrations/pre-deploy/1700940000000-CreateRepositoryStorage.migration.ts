import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateRepositoryStorage1700940000000 implements MigrationInterface {
  readonly name = 'CreateRepositoryStorage1700940000000';

  /** Apart from `repository`, whose rows are locked for longer than anybody who stores something should wait. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table repository_storage (
        deployment_id bigint
          constraint repository_storage_deployment_id_pk primary key
          constraint repository_storage_deployment_id_fk references repository on delete cascade,
        tenant_id bigint not null,
        stored_bytes bigint not null default 0,
        measured_at timestamptz,
        last_upload_at timestamptz,
        collected_at timestamptz not null default now()
      );
      create index repository_storage_tenant_id_index on repository_storage (tenant_id, deployment_id);
      create index repository_storage_collected_at_index on repository_storage (collected_at)
        where last_upload_at is not null;
      insert into repository_storage (deployment_id, tenant_id, last_upload_at)
        select deployment_id, tenant_id, now() from repository`);
    await enableTenantIsolation(queryRunner, 'repository_storage');
    // Also for the version before this one, which makes repositories while both run.
    await queryRunner.query(`
      create function add_repository_storage() returns trigger language plpgsql as $$
      begin
        insert into repository_storage (deployment_id, tenant_id) values (new.deployment_id, new.tenant_id);
        return null;
      end $$;
      create trigger repository_storage after insert on repository
        for each row execute function add_repository_storage()`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop trigger repository_storage on repository');
    await queryRunner.query('drop function add_repository_storage');
    await queryRunner.query('drop table repository_storage');
  }
}
