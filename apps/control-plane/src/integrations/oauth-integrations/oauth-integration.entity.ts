import type { Schemas } from '@plinth/contract';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

export type IntegrationConfig = Schemas['OAuthIntegrationConfig'];

/** An application, of an authorization server of the tenant's choice, at which users can authorise the platform. */
@Entity('oauth_integration')
export class OAuthIntegration {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('text')
  name!: string;

  @Column('text')
  type!: string;

  @Column('text')
  authUrl!: string;

  @Column('text')
  tokenUrl!: string;

  @Column('text')
  clientId!: string;

  @Column('text')
  sealedSecret!: string;

  @Column('text')
  redirectUri!: string;

  @Column('jsonb', { nullable: true })
  scopes!: string[] | null;

  @Column('jsonb', { nullable: true })
  config!: IntegrationConfig | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}

/** The integration as the contract shows it. */
export const toContractIntegration = ({
  tenantId: _tenantId,
  sealedSecret: _sealedSecret,
  createdAt,
  updatedAt,
  ...shown
}: OAuthIntegration): Schemas['OAuthIntegration'] => ({
  ...shown,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});
