import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** The membership of one user in one group. */
@Entity()
export class UserGroupMember {
  /** Order in which members were added. */
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('bigint')
  groupId!: number;

  @Column('bigint')
  userId!: number;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;
}
