import type { EventEmitter } from 'node:events';
import type { Principal } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import { ShortCache, type Bus } from '@plinth/messaging';
import type { Logger } from '@plinth/observability';
import type { KoaContextWithOIDC, Provider as AuthorizationServer } from 'oidc-provider';
import type { OAuthClient } from './clients';
import { speakCommandLine } from './command-line-dialect';
import { speakFailures } from './failure-dialect';
import { keepErrorsHere } from './errors-of-strangers';
import { issuerConfiguration } from './issuer-configuration';
import { speakMetadata } from './metadata-dialect';
import { Provider } from './oidc-provider';
import { speakPages } from './page-dialect';
import { speakProtectedResource } from './protected-resource';
import { noteRefusals } from './refused-grants';
import { TenantSigningKey } from './tenant-signing-key';

/** The authorization server of one tenant under one address. */
export interface Issuer {
  server: AuthorizationServer;
  /** Whether the tenant issues tokens for workloads. */
  isForWorkloads: boolean;
}

/** Bounds how long a new signing key or a switched setting takes to show. */
const LIFETIME_MS = 5_000;
/** An issuer is not a small thing, and one of a tenant that nobody signs in to need not be kept. */
const MOST_ISSUERS = 100;

export class Issuers {
  private readonly issuers = new ShortCache<Issuer>(LIFETIME_MS, { maximumEntries: MOST_ISSUERS });

  constructor(
    private readonly bus: Bus,
    private readonly logger: Logger,
    private readonly clients: readonly OAuthClient[],
  ) {}

  /** @param origin one that the tenant is reached at: each makes an authorization server of its own. */
  async of(principal: Principal, origin: URL): Promise<Issuer> {
    const key = `${principal.tenantId}:${origin.origin}`;
    const issuer = await this.issuers.resolve(key, () => this.make(principal, origin));
    if (!issuer) throw new AppError('tenant.unknown_host', 'No account is served under this host name');
    return issuer;
  }

  private async make(principal: Principal, origin: URL): Promise<Issuer> {
    const { bus, clients } = this;
    const { keys, isIssuerEnabled } = await bus.ask('listSigningKeys', principal, undefined);
    const signingKeys = keys.map((jwk) => new TenantSigningKey(bus, principal, jwk));
    const server = new Provider(
      origin.origin,
      issuerConfiguration({ bus, principal, origin, clients, keys: signingKeys }),
    );
    server.proxy = true;
    keepErrorsHere(server);
    server.on('server_error', (_ctx: KoaContextWithOIDC, error: Error) => this.report(error));
    (server as EventEmitter).on('error', (error: Error) => this.report(error));
    speakFailures(server, (error) => this.report(error));
    noteRefusals(server);
    speakPages(server, { bus, principal });
    speakCommandLine(server);
    speakMetadata(server);
    speakProtectedResource(server);
    return { server, isForWorkloads: isIssuerEnabled };
  }

  private report(thrown: Error): void {
    const error = AppError.from(thrown);
    if (error.status < 500) return;
    this.logger.error({ code: error.code, err: thrown }, 'the authorization server failed');
  }
}
