import { systemPrincipal } from '@plinth/auth';
import type { ReplyOf } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { ShortCache, type Bus } from '@plinth/messaging';

export type EmbedAccount = ReplyOf<'describeEmbedding'>;
export type EmbedSession = ReplyOf<'describeEmbedSession'>;

/** What holds for pages of accounts, and of sessions; remembered until something of it may have changed. */
export class EmbedAccounts {
  private readonly accounts: ShortCache<EmbedAccount>;
  private readonly sessions: ShortCache<EmbedSession>;

  constructor(
    private readonly bus: Bus,
    cacheMs: number,
  ) {
    this.accounts = new ShortCache(cacheMs);
    this.sessions = new ShortCache(cacheMs);
    const changed = (): void => {
      this.accounts.clear();
      this.sessions.clear();
    };
    bus.subscribe('control-plane.credential.changed', changed);
    bus.subscribe('embed.session.changed', changed);
  }

  async of(tenantId: number): Promise<EmbedAccount> {
    const ask = () => this.bus.ask('describeEmbedding', systemPrincipal(tenantId), {});
    return (await this.accounts.resolve(String(tenantId), ask)) ?? ask();
  }

  /** @throws AppError `auth.credential_invalid` (401) for a session that is over */
  async session(tenantId: number, sessionId: string): Promise<EmbedSession> {
    const ask = () => this.bus.ask('describeEmbedSession', systemPrincipal(tenantId), { sessionId });
    const found = await this.sessions.resolve(`${tenantId}:${sessionId}`, ask).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'embed_session.ended') return null;
      throw error;
    });
    if (!found) throw new AppError('auth.credential_invalid', 'The session is over');
    return found;
  }
}
