import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { ContextAdditions, type ContextOwner } from '../../deployments';
import { UserAccessTokens } from './user-access-tokens.service';
import { UserOAuthTokensRepository, type TokenOwner } from './user-oauth-tokens.repository';

/** What data models see of a user's authorization, under the name of its integration. */
export type UserCredential = { status: 'active'; accessToken: string } | { status: 'error'; error: string };

/** A query does not wait longer for a provider; a renewal that takes longer serves the next one. */
const PATIENCE_MS = 2_000;

const slow: UserCredential = { status: 'error', error: 'The provider is slow just now' };

/** Brings what users have authorised into the context of their queries: `cubeCloud.userCredentials`. */
@Injectable()
export class UserCredentials {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly tokens: UserOAuthTokensRepository,
    private readonly accessTokens: UserAccessTokens,
    additions: ContextAdditions,
  ) {
    additions.register((owner) => this.of(owner));
  }

  /** Nothing for a user who has authorised nothing. */
  private async of({ tenantId, userId }: ContextOwner): Promise<Record<string, unknown>> {
    const held = await this.tokens.listNames(this.database, tenantId, userId);
    if (held.length === 0) return {};
    const credentials = held.map(async ({ name, integrationId }) => {
      return [name, await this.credential({ tenantId, userId, integrationId })] as const;
    });
    return { userCredentials: Object.fromEntries(await Promise.all(credentials)) };
  }

  private async credential(owner: TokenOwner): Promise<UserCredential> {
    const answered = new AbortController();
    const tooLong = delay(PATIENCE_MS, slow, { signal: answered.signal }).catch(() => slow);
    return Promise.race([this.fresh(owner), tooLong]).finally(() => answered.abort());
  }

  private async fresh(owner: TokenOwner): Promise<UserCredential> {
    try {
      const { accessToken } = await this.accessTokens.of(owner);
      return { status: 'active', accessToken };
    } catch (error) {
      return { status: 'error', error: AppError.from(error).message };
    }
  }
}
