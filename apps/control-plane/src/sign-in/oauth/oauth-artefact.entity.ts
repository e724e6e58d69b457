import type { Schemas } from '@plinth/contract';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Something that the authorization server has issued or is in the middle of. Its secrets are hashed or sealed. */
@Entity('oauth_artefact')
export class OAuthArtefact {
  @PrimaryColumn('bigint')
  tenantId!: number;

  @PrimaryColumn('text')
  kind!: Schemas['OAuthArtefactKind'];

  @PrimaryColumn('text')
  idHash!: string;

  /** A second name: the code that a person types in for a device, or what stays of a session when its id changes. */
  @Column('text', { nullable: true })
  aliasHash!: string | null;

  /** The approval that it follows from, and ends with. */
  @Column('text', { nullable: true })
  grantHash!: string | null;

  @Column('bigint', { nullable: true })
  userId!: number | null;

  @Column('text', { nullable: true })
  clientId!: string | null;

  @Column('text', { nullable: true })
  clientName!: string | null;

  /** Where the browser or the device was that it was first stored for. */
  @Column('text', { nullable: true })
  clientIp!: string | null;

  /** Scopes, separated by blanks. */
  @Column('text', { nullable: true })
  scope!: string | null;

  @Column('text')
  sealedContent!: string;

  @Column('timestamptz')
  expiresAt!: Date;
}
