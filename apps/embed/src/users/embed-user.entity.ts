import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** Somebody whom a host application knows. They are no member of the account and cannot sign in. */
@Entity()
export class EmbedUser {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('bigint')
  embedTenantId!: number;

  /** Id at the host application, without outer space and in lower case; unique in the embed tenant. */
  @Column('text')
  externalId!: string;

  /** What the host application gave, in lower case. */
  @Column('text', { nullable: true })
  email!: string | null;

  @Column('text', { nullable: true })
  displayName!: string | null;

  @Column('text', { nullable: true })
  picture!: string | null;

  /** Start of the newest session. */
  @Column('timestamptz', { nullable: true })
  lastLoginAt!: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** The address, or a made-up one in its place, for lists; the database computes it. */
  readonly shownEmail!: string;
}
