import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A link by which somebody sets a password is an invitation, or a way back in. */
export class AddPasswordResets1700800000000 implements MigrationInterface {
  readonly name = 'AddPasswordResets1700800000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      alter table user_invitation add column purpose text not null default 'invitation'
        constraint user_invitation_purpose_check check (purpose in ('invitation', 'password-reset'))`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table user_invitation drop column purpose');
  }
}
