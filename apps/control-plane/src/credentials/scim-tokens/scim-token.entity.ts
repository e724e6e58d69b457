import type { Schemas } from '@plinth/contract';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A credential of an identity provider: speaks for no user, and reaches provisioning alone. */
@Entity()
export class ScimToken {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('text', { nullable: true })
  name!: string | null;

  @Column('text')
  prefix!: string;

  @Column('text')
  tokenHash!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** Null for never. */
  @Column('timestamptz', { nullable: true })
  expiresAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  lastUsedAt!: Date | null;
}

/** The token as the contract shows it; the secret is not in it. */
export const toContractScimToken = (token: ScimToken): Schemas['ScimToken'] => ({
  id: token.id,
  name: token.name,
  prefix: token.prefix,
  createdAt: token.createdAt.toISOString(),
  expiresAt: token.expiresAt?.toISOString() ?? null,
  lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
});
