import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A question is found by its id without reading all that was said in its thread. */
export class IndexChatMessages1701560000000 implements MigrationInterface {
  readonly name = 'IndexChatMessages1701560000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create index chat_message_tenant_id_thread_id_id_index on chat_message (tenant_id, thread_id, (line ->> 'id'));
      create index ai_usage_month_index on ai_usage (month)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      drop index chat_message_tenant_id_thread_id_id_index;
      drop index ai_usage_month_index`);
  }
}
