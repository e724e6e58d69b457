import type { Schemas } from '@plinth/contract';
import { Column, Entity, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { User } from '../../people';

/** A credential for programs; acts for the user who owns it. */
@Entity()
export class ApiKey {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('bigint')
  userId!: number;

  @ManyToOne(() => User)
  @JoinColumn({ name: 'user_id' })
  user!: User;

  @Column('text', { nullable: true })
  name!: string | null;

  @Column('text')
  prefix!: string;

  @Column('text')
  tokenHash!: string;

  /** Deployments that the key is limited to; null for all. */
  @Column('bigint', { array: true, nullable: true })
  deploymentIds!: number[] | null;

  /** Whether the operator made the key, so that the account's switch for personal keys does not concern it. */
  @Column('boolean', { default: false })
  isIssuedByOperator!: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** Null for never. */
  @Column('timestamptz', { nullable: true })
  expiresAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  lastUsedAt!: Date | null;
}

/** Id of the credential that a key is. */
export const credentialIdOf = (keyId: number): string => `api-key:${keyId}`;

/** The key as the contract shows it; the secret is not in it. */
export const toContractApiKey = (key: ApiKey, owner: string | null): Schemas['ApiKey'] => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  deploymentIds: key.deploymentIds,
  createdAt: key.createdAt.toISOString(),
  expiresAt: key.expiresAt?.toISOString() ?? null,
  lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  createdBy: owner,
});
