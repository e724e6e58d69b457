import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a report asks, beside its item. */
@Entity()
export class Report {
  /** That of its item. */
  @PrimaryColumn('bigint')
  id!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('bigint')
  deploymentId!: number;

  /** Unique in the account, for good. */
  @Column('text')
  publicId!: string;

  @Column('text', { nullable: true })
  title!: string | null;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('text', { nullable: true })
  source!: string | null;

  /** Query of the data API; goes before the one in SQL. */
  @Column('text', { nullable: true })
  jsonQuery!: string | null;

  @Column('text', { nullable: true })
  sqlQuery!: string | null;

  @Column('json', { nullable: true })
  meta!: Record<string, unknown> | null;

  @Column('json', { nullable: true })
  pivotItems!: object | null;

  /** Rises with each change of the definition. */
  @Column('int', { default: 1 })
  version!: number;

  @Column('text', { nullable: true })
  queryChecksum!: string | null;

  @Column('timestamptz', { nullable: true })
  refreshedAt!: Date | null;

  @Column('bigint', { nullable: true })
  refreshedBy!: number | null;

  @Column('bigint', { nullable: true })
  refreshedRows!: number | null;

  @Column('text', { nullable: true })
  resultChecksum!: string | null;
}
