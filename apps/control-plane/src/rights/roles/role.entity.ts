import { builtInPolicies, type BuiltInRole, type Policy } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A named list of policies that users and groups can hold. */
@Entity()
export class Role {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('text')
  name!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  /** A built-in role has a row for its id alone: `libs/auth` says what it grants. */
  @Column('boolean')
  isBuiltIn!: boolean;

  @Column('jsonb')
  policies!: Policy[];

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}

/** What the role grants. */
export const policiesOf = ({ name, isBuiltIn, policies }: Pick<Role, 'name' | 'isBuiltIn' | 'policies'>) =>
  isBuiltIn ? builtInPolicies[name as BuiltInRole] : policies;

/** Administrators are made by changing the user, never by assigning their role. */
export const isAdminRole = ({ isBuiltIn, name }: Role): boolean => isBuiltIn && name === 'Admin';

/** The role as the contract shows it. */
export const toContractRole = ({ id, name, description, policies }: Role): Schemas['Role'] => ({
  id,
  name,
  description,
  policies,
});
