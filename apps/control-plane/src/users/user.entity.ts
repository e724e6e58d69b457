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

  @Column('text')
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

  /** Id of the user at the identity provider; unique in the tenant. */
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

const everything: Schemas['Policy'][] = [
  { resourceType: 'Global', actions: ['All'], resources: ['All'] },
  { resourceType: 'Deployment', actions: ['All'], resources: ['All'] },
];

/** The user as the contract shows it, with the policies that apply. */
export const toContractUser = (user: User): Schemas['User'] => ({
  id: user.id,
  email: user.email,
  username: user.username,
  firstName: user.firstName,
  isAdmin: user.isAdmin,
  isDeactivated: user.deactivatedAt !== null,
  notifications: {},
  userPolicies: user.isAdmin ? everything : [],
  createdAt: user.createdAt.toISOString(),
  updatedAt: user.updatedAt.toISOString(),
});
