import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ClaimProviderRevocations1701100000000 implements MigrationInterface {
  readonly name = 'ClaimProviderRevocations1701100000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    // Both null while nobody has claimed it; the first tells one claim from the next.
    await queryRunner.query(`
      alter table provider_revocation
        add column claim_id uuid,
        add column lease_expires_at timestamptz`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table provider_revocation drop column claim_id, drop column lease_expires_at');
  }
}
