import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** What an embed user has written on a dashboard; their embed tenant alone sees it. */
@Entity()
export class DashboardComment {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('bigint')
  embedTenantId!: number;

  @Column('bigint')
  deploymentId!: number;

  @Column('bigint')
  dashboardId!: number;

  /** The comment that it replies to, which opened a thread; null for one that did. */
  @Column('bigint', { nullable: true })
  rootId!: number | null;

  @Column('bigint')
  authorId!: number;

  /** Empty once it is deleted. */
  @Column('text')
  body!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  editedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  removedAt!: Date | null;

  /** Of a thread. Its author alone resolves it. */
  @Column('timestamptz', { nullable: true })
  resolvedAt!: Date | null;

  /** Of a thread, deleted replies included. */
  @Column('int', { default: 0 })
  replyCount!: number;

  /** Of a thread: the length of all its texts. */
  @Column('int', { default: 0 })
  threadBytes!: number;
}
