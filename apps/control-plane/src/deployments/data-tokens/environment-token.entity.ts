import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A token that was made for an environment; kept so that its owner can list it. */
@Entity()
export class EnvironmentToken {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('bigint')
  deploymentId!: number;

  @Column('bigint')
  environmentId!: number;

  /** Whose list shows it: the user, or the credential where there is no user. */
  @Column('text')
  owner!: string;

  /** The credential that asked for it. */
  @Column('text')
  credentialId!: string;

  /** The token, its security context and its scopes: the context may tell as much as the token. */
  @Column('text')
  sealedContent!: string;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  expiresAt!: Date;
}
