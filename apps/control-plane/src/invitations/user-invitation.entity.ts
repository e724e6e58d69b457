import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A link by which a person takes over their account and sets a password; a newer one replaces it. */
@Entity()
export class UserInvitation {
  @PrimaryColumn('bigint')
  userId!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('text')
  tokenHash!: string;

  @Column('timestamptz')
  expiresAt!: Date;
}
