import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateUploads1700200000001 implements MigrationInterface {
  readonly name = 'CreateUploads1700200000001';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      alter table repository add last_upload_commit text;

      create table upload (
        id text constraint upload_id_pk primary key,
        tenant_id bigint not null,
        deployment_id bigint not null
          constraint upload_deployment_id_fk references repository on delete cascade,
        branch_id bigint not null constraint upload_branch_id_fk references branch on delete cascade,
        owner_credential_id text not null,
        owner_user_id bigint,
        base_commit text not null,
        path_prefix text not null,
        finished_commit text,
        expires_at timestamptz not null,
        created_at timestamptz not null default now()
      );
      create index upload_expires_at_index on upload (expires_at);
      create index upload_deployment_id_index on upload (deployment_id);
      create index upload_branch_id_index on upload (branch_id);

      create table upload_file (
        upload_id text not null constraint upload_file_upload_id_fk references upload on delete cascade,
        path text not null,
        tenant_id bigint not null,
        oid text not null,
        content_hash text not null,
        size bigint not null,
        constraint upload_file_upload_id_path_pk primary key (upload_id, path)
      )`);
    for (const table of ['upload', 'upload_file']) await enableTenantIsolation(queryRunner, table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table upload_file, upload; alter table repository drop last_upload_commit');
  }
}
