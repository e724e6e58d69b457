import type { Schemas } from '@plinth/contract';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

export type AudienceType = Schemas['OidcAudienceType'];
export type CustomClaims = Schemas['OidcCustomClaims'];

/** A token by which every deployment of the tenant proves to one audience who it is. */
@Entity('oidc_token_config')
export class OidcTokenConfig {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('text')
  audienceType!: AudienceType;

  @Column('text')
  audience!: string;

  /** Part of a file's name; unique in the tenant. */
  @Column('text')
  name!: string;

  /** Null for the standard template. */
  @Column('text', { nullable: true })
  subFormat!: string | null;

  @Column('jsonb', { nullable: true })
  customClaims!: CustomClaims | null;

  @Column('text', { nullable: true })
  targetEnvVar!: string | null;

  @Column('boolean')
  isEnabled!: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}

/** Name of the file that workloads find a config's token in. */
export const tokenFileOf = (name: string): string => `cube_cloud_token_${name}`;

/** The config as the contract shows it. */
export const toContractConfig = ({
  tenantId: _tenantId,
  createdAt,
  updatedAt,
  ...shown
}: OidcTokenConfig): Schemas['OidcTokenConfig'] => ({
  ...shown,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});
