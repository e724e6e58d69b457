import { enableTenantIsolation, namesOf } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const { role, systemRole } = namesOf('control-plane');

/** Signed checkpoints of the audit logs. As with events, the service's roles read and append; publishing is noted once. */
export class AnchorAuditLog1700920000000 implements MigrationInterface {
  readonly name = 'AnchorAuditLog1700920000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table audit_checkpoint (
        tenant_id bigint not null,
        number bigint not null,
        length bigint not null,
        hash bytea not null,
        signed_at timestamptz(3) not null,
        key_id text not null,
        signature bytea not null,
        is_published boolean not null default false,
        constraint audit_checkpoint_tenant_id_number_pk primary key (tenant_id, number)
      );
      create index audit_checkpoint_unpublished_index on audit_checkpoint (tenant_id, number) where not is_published`);
    await enableTenantIsolation(queryRunner, 'audit_checkpoint');
    await queryRunner.query(`
      revoke update, delete, truncate on audit_checkpoint from ${role}, ${systemRole};
      grant update (is_published) on audit_checkpoint to ${systemRole}`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table audit_checkpoint');
  }
}
