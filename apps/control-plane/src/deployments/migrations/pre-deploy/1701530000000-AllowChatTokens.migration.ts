import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AllowChatTokens1701530000000 implements MigrationInterface {
  readonly name = 'AllowChatTokens1701530000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table deployment add column is_chat_token_allowed boolean not null default false');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table deployment drop column is_chat_token_allowed');
  }
}
