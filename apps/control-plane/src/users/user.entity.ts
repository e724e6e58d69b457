import type { Schemas } from '@plinth/contract';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A person who can sign in to a tenant. */
@Entity('user_account')
export class User {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('text')
  email!: string;

  @Column('text')
  username!: string;

  @Column('text', { nullable: true })
  firstName!: string | null;

  @Column('boolean')
  isAdmin!: boolean;

  @Column('timestamptz', { nullable: true })
  deactivatedAt!: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}

const everything: Schemas['Policy'][] = [
  { resourceType: 'Global', actions: ['All'], resources: ['All'] },
  { resourceType: 'Deployment', actions: ['All'], resources: ['All'] },
];

/** The user as the contract shows it, with the policies that apply. */
export const toContractUser = (user: User): Schemas['User'] => ({
  id: user.id,
  email: user.email,
  username: user.username,
  firstName: user.firstName,
  isAdmin: user.isAdmin,
  isDeactivated: user.deactivatedAt !== null,
  notifications: {},
  userPolicies: user.isAdmin ? everything : [],
  createdAt: user.createdAt.toISOString(),
  updatedAt: user.updatedAt.toISOString(),
});
