import type { Schemas } from '@plinth/contract';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

type UserSettings = Schemas['UserSettings'];

/** A person who can sign in to a tenant. */
@Entity('user_account')
export class User {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  tenantId!: number;

  /** Empty for nobody's address. Stored as null then, which nothing equals: it is never taken and finds no account. */
  @Column('text', {
    nullable: true,
    transformer: { to: (email?: string) => (email === '' ? null : email), from: (email: string | null) => email ?? '' },
  })
  email!: string;

  @Column('text')
  username!: string;

  @Column('text', { nullable: true })
  firstName!: string | null;

  @Column('text', { nullable: true })
  lastName!: string | null;

  @Column('text', { nullable: true })
  title!: string | null;

  /** Address of a picture. */
  @Column('text', { nullable: true })
  picture!: string | null;

  @Column('boolean')
  isAdmin!: boolean;

  @Column('timestamptz', { nullable: true })
  deactivatedAt!: Date | null;

  /** When the person took over the account; null while they are only invited. */
  @Column('timestamptz', { nullable: true, default: () => 'now()' })
  joinedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  lastLoginAt!: Date | null;

  /** Preferences; what is absent is inherited. */
  @Column('jsonb', { default: {} })
  settings!: UserSettings;

  /** Names of the messages that the user wants. */
  @Column('text', { array: true, default: [] })
  notifications!: string[];

  @Column('jsonb', { nullable: true })
  tosAccepted!: Record<string, unknown> | null;

  @Column('jsonb', { nullable: true })
  embedTheme!: Record<string, unknown> | null;

  @Column('jsonb', { nullable: true })
  securityContext!: Record<string, unknown> | null;

  /** Id of the user at the identity provider, as it says; several users may have it. */
  @Column('text', { nullable: true })
  externalId!: string | null;

  /** Whether the person signs in at the identity provider alone. */
  @Column('boolean', { default: false })
  isExternal!: boolean;

  /** Argon2id in PHC string format; read where passwords are checked and nowhere else. */
  @Column('text', { nullable: true, select: false })
  passwordHash!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}
