import type { Action, Policy } from '@plinth/auth';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** One action on one resource for a user, for a group, or for everybody when neither is named. */
@Entity()
export class ResourcePolicy {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('text')
  resourceType!: Policy['resourceType'];

  @Column('bigint')
  resourceId!: number;

  @Column('bigint', { nullable: true })
  userId!: number | null;

  @Column('bigint', { nullable: true })
  groupId!: number | null;

  @Column('text')
  action!: Action;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}
