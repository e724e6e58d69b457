import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A key with which tokens of a tenant's issuer are signed; the one of the highest generation is current. */
@Entity()
export class SigningKey {
  @PrimaryColumn('bigint')
  tenantId!: number;

  @PrimaryColumn('integer')
  generation!: number;

  /** `kid` of the key (RFC 7517, 4.5). */
  @Column('text')
  keyId!: string;

  /** Public key as a JSON Web Key. */
  @Column('jsonb')
  publicKey!: Record<string, unknown>;

  @Column('text')
  sealedPrivateKey!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;
}
