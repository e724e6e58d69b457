import { lastingPrincipal, systemPrincipal } from '@plinth/auth';
import type { ReplyOf } from '@plinth/contract';
import { ShortCache, type Bus } from '@plinth/messaging';
import type { Tenant } from '../tenants/tenant.resolver';

type SessionPrincipal = NonNullable<ReplyOf<'authenticateEmbedSession'>['principal']>;

interface KnownSession {
  principal: SessionPrincipal;
  validForMs: number;
}

/** Whom tokens of embed sessions stand for, remembered until a notice that something about sessions or users has changed. */
export class EmbedSessions {
  private readonly known: ShortCache<KnownSession>;

  /** @param cacheMs bounds what a lost notice of a revocation costs. */
  constructor(
    private readonly bus: Bus,
    cacheMs: number,
  ) {
    this.known = new ShortCache(cacheMs, { lifetimeMs: ({ validForMs }) => validForMs });
    for (const topic of ['embed.session.changed', 'control-plane.credential.changed']) {
      bus.subscribe(topic, () => this.known.clear());
    }
  }

  /** The principal that is remembered under the key. */
  peek(key: string): SessionPrincipal | undefined {
    return this.known.peek(key)?.principal;
  }

  /** Null for a token that opens nothing. */
  async find(key: string, { tenantId, tenantName }: Tenant, token: string): Promise<SessionPrincipal | null> {
    const found = await this.known.resolve(key, async () => {
      const asking = { ...systemPrincipal(tenantId), tenantName };
      const { principal, validForMs } = await this.bus.ask('authenticateEmbedSession', asking, { token });
      return principal && { principal: lastingPrincipal(principal), validForMs };
    });
    return found?.principal ?? null;
  }
}
