import type { ServiceName } from '@plinth/contract';
import { enableTenantIsolation, type ServiceSchema } from '@plinth/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A table of unique texts, for tests. */
export class Notes1700000000001 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'create table note (tenant_id bigint not null, text text not null, constraint note_text_unique unique (text))',
    );
    await enableTenantIsolation(queryRunner, 'note');
  }

  async down(): Promise<void> {}
}

/** The schema of a service that has notes and nothing else. */
export const notesSchemaOf = (service: ServiceName): ServiceSchema => ({
  service,
  entities: [],
  migrations: { preDeploy: [Notes1700000000001], postDeploy: [] },
});
