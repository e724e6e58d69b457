import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether setting the password by the link revokes the API keys of the user. */
export class RevokeKeysWithPasswords1700910000002 implements MigrationInterface {
  readonly name = 'RevokeKeysWithPasswords1700910000002';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table user_invitation add column revokes_api_keys boolean not null default false');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table user_invitation drop column revokes_api_keys');
  }
}
