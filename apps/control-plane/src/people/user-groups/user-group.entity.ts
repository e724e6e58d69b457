import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A named set of users, to which access can be given at once. */
@Entity()
export class UserGroup {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('text')
  name!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  /** Id of the group at the identity provider, as it says; several groups may have it. */
  @Column('text', { nullable: true })
  externalId!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}
