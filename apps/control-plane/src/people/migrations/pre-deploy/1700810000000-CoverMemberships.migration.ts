import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CoverMemberships1700810000000 implements MigrationInterface {
  readonly name = 'CoverMemberships1700810000000';

  /** Members of a large group are read from the index alone, in their order; the tenant is what row-level security asks. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create index user_group_member_group_id_id_user_id_index
        on user_group_member (group_id, id) include (user_id, tenant_id);
      drop index user_group_member_group_id_id_index`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create index user_group_member_group_id_id_index on user_group_member (group_id, id);
      drop index user_group_member_group_id_id_user_id_index`);
  }
}
