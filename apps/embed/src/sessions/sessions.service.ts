import { Inject, Injectable } from '@nestjs/common';
import { requireAccess, systemPrincipal, type Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf, Schemas } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { EmbedSecretsRepository, signSessionToken } from '../secrets';
import { SessionNotices } from '../session-notices';
import { SessionIdentities, usesOwnAttributes } from './session-identity.service';
import { credentialIdOf, newSessionId, sessionNameOf } from './session-ids';
import { requireSound, type SessionRequest } from './session-rules';
import { givenSettings } from './session-settings';
import { SessionsRepository, type SessionContext } from './sessions.repository';

/** Sessions in which host applications show content to their users: made, exchanged once for a token, ended. */
@Injectable()
export class SessionsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(BUS) private readonly bus: Bus,
    private readonly identities: SessionIdentities,
    private readonly sessions: SessionsRepository,
    private readonly secrets: EmbedSecretsRepository,
    private readonly notices: SessionNotices,
  ) {}

  /**
   * @throws AppError `request.invalid` (400) for what does not go together, `access.deployment_out_of_scope` (403), and what
   *   `prepareEmbedSession` and {@link SessionIdentities.bring} throw.
   */
  async generate(principal: Principal, request: SessionRequest): Promise<ReplyOf<'generateSession'>> {
    requireSound(request);
    requireAccess(principal, 'DeploymentRead', request.deploymentId);
    const { tenantId } = principal;
    const ground = await this.bus.ask('prepareEmbedSession', systemPrincipal(tenantId), orderOf(request));
    return this.database.mutate(principal, async (tx) => {
      const identity = await this.identities.bring(tx, tenantId, request, ground);
      const sessionId = newSessionId();
      await this.sessions.insert(tx, {
        ...identity,
        id: sessionNameOf(sessionId),
        deploymentId: request.deploymentId,
        branchName: ground.branchName,
        user: ground.user,
        isCreator: request.creatorMode === true,
        context: contextOf(request),
      });
      return { sessionId };
    });
  }

  /** Of all who try, the first gets the token. @throws AppError `embed_session.unknown` (401) */
  async exchange(
    { tenantId, tenantName }: Pick<Principal, 'tenantId' | 'tenantName'>,
    { sessionId }: BodyOf<'postTokenBySessionId'>,
  ): Promise<ReplyOf<'postTokenBySessionId'>> {
    const name = sessionNameOf(sessionId);
    // The id is the credential, whatever else was sent: a repeat of the request is known by it.
    const holder: Principal = { ...systemPrincipal(tenantId), tenantName, ...bearerOf(name) };
    return this.database.mutate(holder, async (tx) => {
      const session = await this.sessions.exchange(tx, name);
      if (!session) throw new AppError('embed_session.unknown', 'The session is unknown, used, revoked or too old');
      const secret = await this.secrets.find(tx, tenantId, session.signing ?? undefined);
      const { deploymentId, expiresAt, context } = session;
      const { settings } = context;
      return { token: await signSessionToken(secret, { sessionId: name, deploymentId, settings, expiresAt }) };
    });
  }

  /** What is over already is as it shall be. */
  async revoke(principal: Principal, { sessionId }: BodyOf<'revokeSession'>): Promise<ReplyOf<'revokeSession'>> {
    await this.database.mutate(principal, async (tx) => {
      const wasThere = await this.sessions.delete(tx, sessionNameOf(sessionId));
      if (wasThere) this.notices.announce(tx, principal.tenantId);
      return null;
    });
    return undefined;
  }

  /** Ends the tokens that are out, at once or after the grace period. @throws AppError `embedding.too_many_secrets` (409) */
  async rotateSecret(principal: Principal, body: BodyOf<'rotateEmbedSecret'>): Promise<ReplyOf<'rotateEmbedSecret'>> {
    const { tenantId } = principal;
    return this.database.mutate(principal, async (tx) => {
      const { rotatedAt, previousExpireAt } = await this.secrets.rotate(tx, tenantId, body?.graceSeconds ?? 0);
      this.notices.announce(tx, tenantId);
      return {
        rotatedAt: rotatedAt.toISOString(),
        previousTokensExpireAt: previousExpireAt?.toISOString() ?? null,
      };
    });
  }
}

const bearerOf = (name: string) => ({
  kind: 'embed-session' as const,
  credentialId: credentialIdOf(name),
  userName: 'Embed session',
  isAdmin: false,
});

const orderOf = (request: SessionRequest): Schemas['EmbedSessionOrder'] => ({
  deploymentId: request.deploymentId,
  branchName: request.branchName ?? null,
  username: request.internalId ?? null,
  isCreator: request.creatorMode === true,
  groups: request.groups ?? [],
  userAttributes: usesOwnAttributes(request) ? [] : (request.userAttributes ?? []),
});

const contextOf = (request: SessionRequest): SessionContext => ({
  securityContext: request.securityContext ?? {},
  roles: request.roles ?? [],
  settings: givenSettings(request.settings),
  theme: request.embedTheme ?? null,
  publicDashboardId: request.publicDashboardId ?? null,
});
