import type { Schemas } from '@plinth/contract';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** What an integration's provider gave out for a user. */
@Entity('user_oauth_token')
export class UserOAuthToken {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('bigint')
  userId!: number;

  @Column('bigint')
  integrationId!: number;

  @Column('text')
  sealedAccessToken!: string;

  @Column('timestamptz', { nullable: true })
  accessTokenExpiresAt!: Date | null;

  @Column('text', { nullable: true })
  sealedRefreshToken!: string | null;

  @Column('timestamptz', { nullable: true })
  refreshTokenExpiresAt!: Date | null;

  /** Of the last attempt to renew it; null when that went well. */
  @Column('jsonb', { nullable: true })
  lastError!: Schemas['OAuthTokenError'] | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}

type Lifetimes = Pick<
  UserOAuthToken,
  'accessTokenExpiresAt' | 'sealedRefreshToken' | 'refreshTokenExpiresAt' | 'lastError'
>;

const isOver = (time: Date | null, now: Date): boolean => time !== null && time <= now;

/** Whether the access token can be used at that time. One whose provider tells no end can. */
export const isFresh = ({ accessTokenExpiresAt }: Lifetimes, at: Date): boolean => !isOver(accessTokenExpiresAt, at);

export const isRenewable = ({ sealedRefreshToken, refreshTokenExpiresAt }: Lifetimes, at: Date): boolean =>
  sealedRefreshToken !== null && !isOver(refreshTokenExpiresAt, at);

function statusAt(token: Lifetimes, at: Date): Schemas['UserOAuthToken']['status'] {
  if (isFresh(token, at)) return 'active';
  if (token.lastError !== null) return 'error';
  return isRenewable(token, at) ? 'active' : 'expired';
}

/** The token as the contract shows it: without the token. */
export const toContractToken = (token: UserOAuthToken): Schemas['UserOAuthToken'] => ({
  id: token.id,
  userId: token.userId,
  integrationId: token.integrationId,
  status: statusAt(token, new Date()),
  accessTokenExpiresAt: token.accessTokenExpiresAt?.toISOString() ?? null,
  refreshTokenExpiresAt: token.refreshTokenExpiresAt?.toISOString() ?? null,
  lastError: token.lastError,
  createdAt: token.createdAt.toISOString(),
  updatedAt: token.updatedAt.toISOString(),
});
