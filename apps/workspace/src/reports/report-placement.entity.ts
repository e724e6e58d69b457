import type { Schemas } from '@plinth/contract';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A place in a spreadsheet where the result of a report stands. */
@Entity()
export class ReportPlacement {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('bigint')
  tenantId!: number;

  @Column('bigint')
  reportId!: number;

  @Column('text')
  externalWorkbookId!: string;

  @Column('text', { nullable: true })
  externalWorkbookName!: string | null;

  @Column('text', { nullable: true })
  host!: Schemas['ReportPlacement']['host'];

  @Column('text', { nullable: true })
  sheetId!: string | null;

  @Column('text', { nullable: true })
  sheetName!: string | null;

  @Column('text', { nullable: true })
  anchorCell!: string | null;

  @Column('text', { nullable: true })
  endResultCell!: string | null;

  @Column('text')
  resultLocation!: string;

  /** That of the report when its result was put there. */
  @Column('text', { nullable: true })
  queryChecksum!: string | null;

  @Column('json', { nullable: true })
  resultChecksum!: Schemas['PlacementChecksum'] | null;

  @Column('timestamptz', { default: () => 'now()' })
  placedAt!: Date;

  @Column('bigint', { nullable: true })
  placedBy!: number | null;

  @Column('timestamptz', { nullable: true })
  refreshedAt!: Date | null;

  @Column('bigint', { nullable: true })
  refreshedBy!: number | null;
}
