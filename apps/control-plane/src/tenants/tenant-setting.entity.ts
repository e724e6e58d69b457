import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What an account has switched; an account without a row has the defaults. */
@Entity()
export class TenantSetting {
  @PrimaryColumn('bigint')
  tenantId!: number;

  /** Whether users who are no administrators can have API keys. */
  @Column('boolean', { default: false })
  arePersonalKeysAllowed!: boolean;
}
