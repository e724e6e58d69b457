import { hash } from 'node:crypto';
import { anonymousPrincipal, lastingPrincipal, systemPrincipal, type Principal } from '@plinth/auth';
import type { ReplyOf } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { ShortCache, type Bus } from '@plinth/messaging';
import { Passport } from 'passport';
import { Strategy as BearerStrategy } from 'passport-http-bearer';
import type { FailureLimiter } from '../limits/failure-limiter';
import type { Tenant } from '../tenants/tenant.resolver';
import { ApiKeyStrategy, type VerifyToken } from './api-key.strategy';
import { EmbedSessions } from './embed-sessions';
import { isSessionToken } from './session-token';

/**
 * What a strategy sees of a request: the header and the tenant, so that a token in a URL or body never counts.
 * It stands in for the request that passport's types ask for.
 */
interface CredentialRequest {
  headers: { authorization: string };
  tenant: Tenant;
  clientIp: string;
}

type Identity = ReplyOf<'authenticate'>;

const refusals: Record<NonNullable<Identity['refusal']>, string> = {
  'access.personal_keys_off': 'This account accepts API keys of administrators alone',
};

/** The two forms, as the strategies read them. */
const TOKEN = /^(?:Bearer |Api-Key +)(\S+)$/i;

/** Turns the Authorization header into a principal of the tenant whose host was called. */
export class Authenticator {
  private readonly passport = new Passport();
  private readonly known: ShortCache<Identity>;
  private readonly sessions: EmbedSessions;

  constructor(
    private readonly bus: Bus,
    private readonly failures: FailureLimiter,
    cacheMs: number,
  ) {
    this.known = new ShortCache(cacheMs);
    this.sessions = new EmbedSessions(bus, cacheMs);
    const verify: VerifyToken = (request, token, done) => {
      const { tenant, clientIp } = request as unknown as CredentialRequest;
      const key = keyOf(tenant, token);
      this.failures
        .find('credential', key, clientIp, () => this.lookUp(tenant, token, key))
        .then((identity) => conclude(identity, done), done);
    };
    this.passport.use(new BearerStrategy({ passReqToCallback: true, realm: 'plinth' }, verify));
    this.passport.use(new ApiKeyStrategy(verify));
    bus.subscribe('control-plane.credential.changed', () => this.known.clear());
  }

  /** The caller whose credential is remembered. */
  peek(tenant: Tenant, authorization: string | undefined): Principal | undefined {
    const token = authorization === undefined ? undefined : TOKEN.exec(authorization)?.[1];
    if (token === undefined) return undefined;
    const key = keyOf(tenant, token);
    const identity = this.known.peek(key);
    return identity?.refusal ? undefined : (identity?.principal ?? this.sessions.peek(key));
  }

  /**
   * The caller; anonymous when no credential was sent.
   *
   * @throws AppError `auth.credential_malformed` or `auth.credential_invalid` (401), `access.personal_keys_off` (403),
   *   `request.too_many_failures` (429) for who tries many.
   */
  async authenticate(tenant: Tenant, authorization: string | undefined, clientIp: string): Promise<Principal> {
    if (authorization === undefined) return anonymousPrincipal(tenant.tenantId, tenant.tenantName);
    if (!/^(Bearer|Api-Key) +\S+$/i.test(authorization)) {
      throw new AppError(
        'auth.credential_malformed',
        'Authorization takes the form "Bearer <token>" or "Api-Key <key>"',
      );
    }
    const principal = await this.runStrategies({ headers: { authorization }, tenant, clientIp });
    if (!principal) throw new AppError('auth.credential_invalid', 'The credential is unknown, expired or revoked');
    return principal;
  }

  private runStrategies(request: CredentialRequest): Promise<Principal | false> {
    return new Promise((resolve, reject) => {
      const done = (error: unknown, principal?: Principal | false | null) =>
        error ? reject(error) : resolve(principal || false);
      this.passport.authenticate(['bearer', 'api-key'], { session: false }, done)(request, undefined, reject);
    });
  }

  /** Null for a token that stands for nobody. */
  private async lookUp(tenant: Tenant, token: string, key: string): Promise<Identity | null> {
    if (!isSessionToken(token)) return ifValid(await this.lookUpCredential(tenant, token, key));
    const principal = await this.sessions.find(key, tenant, token);
    return principal && { principal };
  }

  private lookUpCredential({ tenantId, tenantName }: Tenant, token: string, key: string): Promise<Identity | null> {
    return this.known.resolve(key, async () => {
      const asking = { ...systemPrincipal(tenantId), tenantName };
      const identity = await this.bus.ask('authenticate', asking, { tenantId, tokenHash: hash('sha256', token) });
      if (identity.principal) lastingPrincipal(identity.principal);
      return identity;
    });
  }
}

function conclude(identity: Identity | null, done: Parameters<VerifyToken>[2]): void {
  if (identity?.refusal) done(new AppError(identity.refusal, refusals[identity.refusal]));
  else done(null, identity?.principal ?? false);
}

/** A refused one is valid all the same: its holder has proven to have it. */
const ifValid = (identity: Identity | null | undefined): Identity | null =>
  identity?.principal || identity?.refusal ? identity : null;

/** No token is kept as it is. */
const keyOf = ({ tenantId }: Tenant, token: string): string => `${tenantId}:${hash('sha256', token)}`;
