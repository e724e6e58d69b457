import { enableTenantIsolation } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateNotificationFigures1701530000000 implements MigrationInterface {
  readonly name = 'CreateNotificationFigures1701530000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table notification_figures (
        tenant_id bigint not null,
        notification_id bigint not null
          constraint notification_figures_notification_id_fk references notification (id) on delete cascade,
        subject_key text not null,
        figures json not null,
        seen_at timestamptz not null,
        constraint notification_figures_notification_id_subject_key_pk primary key (notification_id, subject_key)
      );
      alter table notification_picture add column summary json;
      alter table notification_run add column summary_problem text`);
    await enableTenantIsolation(queryRunner, 'notification_figures');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      drop table notification_figures;
      alter table notification_picture drop column summary;
      alter table notification_run drop column summary_problem`);
  }
}
