import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** What is kept of a tenant that the operator has deleted, or is deleting. */
@Entity()
export class TenantDeletion {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  deletedTenantId!: number;

  @Column('text')
  name!: string;

  @Column('text', { array: true })
  hosts!: string[];

  @Column('timestamptz', { default: () => 'now()' })
  beganAt!: Date;

  /** Null until its repositories are gone, too. */
  @Column('timestamptz', { nullable: true })
  finishedAt!: Date | null;

  @Column('bigint', { default: 0 })
  deletedRows!: number;

  @Column('integer', { default: 0 })
  repositories!: number;

  /** Where its audit log ended, so that what was exported of it can still be compared. */
  @Column('bigint')
  auditEvents!: number;

  @Column('bytea', { nullable: true })
  auditHash!: Buffer | null;
}
