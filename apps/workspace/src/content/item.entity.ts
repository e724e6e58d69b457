import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

export const itemTypes = ['FOLDER', 'WORKBOOK', 'REPORT'] as const;
export type ItemType = (typeof itemTypes)[number];

/** An item as requests name it. */
export interface ItemRef {
  type: ItemType;
  id: number;
}

/** A folder, a workbook or a report, in the tree of its deployment. */
@Entity()
export class Item {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('bigint')
  deploymentId!: number;

  @Column('text')
  type!: ItemType;

  @Column('text')
  name!: string;

  /** The folder, or for a report the workbook, that it lies in; null for the root. */
  @Column('bigint', { nullable: true })
  parentId!: number | null;

  /** Everything that it lies in, from the root down; ends with the parent. */
  @Column('bigint', { array: true, default: [] })
  path!: number[];

  /** Place of a folder among its siblings; null for all others. */
  @Column('bigint', { nullable: true })
  position!: number | null;

  /** Null when the platform itself has made it. */
  @Column('bigint', { nullable: true })
  ownerId!: number | null;

  /** Embed user who owns it in place of a user of the account. */
  @Column('bigint', { nullable: true })
  embedOwnerId!: number | null;

  /** Embed tenant that this embed user is of. */
  @Column('text', { nullable: true })
  embedTenantName!: string | null;

  @Column('bigint', { nullable: true })
  createdBy!: number | null;

  @Column('bigint', { nullable: true })
  updatedBy!: number | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}
