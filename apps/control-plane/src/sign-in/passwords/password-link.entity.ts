import type { Schemas } from '@plinth/contract';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Why a person is given a link: to take over a new account, or because they cannot sign in to theirs any more. */
export type PasswordLinkPurpose = Schemas['DescribedPasswordLink']['purpose'];

/** A link by which a person sets the password of their account; a newer one replaces it. The table had one purpose once. */
@Entity('user_invitation')
export class PasswordLink {
  @PrimaryColumn('bigint')
  userId!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('text')
  purpose!: PasswordLinkPurpose;

  @Column('text')
  tokenHash!: string;

  @Column('timestamptz')
  expiresAt!: Date;

  /** Whether the API keys of the user are revoked when the link is used. */
  @Column('boolean')
  revokesApiKeys!: boolean;
}
