import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An authorization that a user has begun; a newer one of the same user and integration replaces it. */
@Entity('oauth_flow')
export class OAuthFlow {
  @PrimaryColumn('text')
  stateHash!: string;

  @Column('bigint')
  tenantId!: number;

  @Column('bigint')
  userId!: number;

  @Column('bigint')
  integrationId!: number;

  /** The PKCE verifier, without which nobody can redeem the code. */
  @Column('text')
  sealedVerifier!: string;

  @Column('timestamptz')
  expiresAt!: Date;
}
