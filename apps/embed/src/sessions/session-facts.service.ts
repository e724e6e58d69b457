import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal, type Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf, Schemas } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { EmbedSecretsRepository, readSessionToken } from '../secrets';
import { SubjectsService } from '../subjects';
import { principalOf } from './session-principal';
import { localeOf, timeZoneOf } from './session-settings';
import { SessionsRepository, type OpenSession } from './sessions.repository';

type AccountUser = Schemas['AccountUser'];
type Authenticated = ReplyOf<'authenticateEmbedSession'>;

/** A session that is not over, with the user of the account whom it is for; null for an embed user. */
interface LiveSession {
  session: OpenSession;
  user: AccountUser | null;
}

const nobody: Authenticated = { principal: null, validForMs: 0 };

/** Tells other services of sessions, as of now. */
@Injectable()
export class SessionFactsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(BUS) private readonly bus: Bus,
    private readonly sessions: SessionsRepository,
    private readonly secrets: EmbedSecretsRepository,
    private readonly subjects: SubjectsService,
  ) {}

  async authenticate(
    { tenantId, tenantName }: Principal,
    { token }: BodyOf<'authenticateEmbedSession'>,
  ): Promise<Authenticated> {
    const secrets = await this.secrets.findLive(this.database, tenantId);
    const read = await readSessionToken(token, secrets);
    const live = read && (await this.live(tenantId, read.sessionId));
    if (!live) return nobody;
    const secret = secrets.find(({ version }) => version === read.secretVersion);
    const validForMs = Math.min(read.expiresAt.getTime() - Date.now(), secret?.validForMs ?? Infinity);
    return {
      principal: principalOf({ tenantId, tenantName }, live.session, live.user),
      validForMs: Math.max(0, Math.floor(validForMs)),
    };
  }

  /** @throws AppError `embed_session.ended` (404) */
  async describe(
    { tenantId }: Principal,
    { sessionId }: BodyOf<'describeEmbedSession'>,
  ): Promise<ReplyOf<'describeEmbedSession'>> {
    const live = await this.live(tenantId, sessionId);
    const securityContext = live && (await this.securityContext(tenantId, live.session));
    if (!live || !securityContext) throw new AppError('embed_session.ended', 'The embed session has ended');
    const { session, user } = live;
    const { settings, theme, publicDashboardId } = session.context;
    return {
      sessionId: session.id,
      deploymentId: session.deploymentId,
      embedTenantName: session.embedTenantName,
      embedUserId: session.embedUserId,
      userId: session.userId,
      externalId: session.externalId,
      displayName: user ? user.userName : session.displayName,
      email: user ? user.email : session.email,
      isCreator: session.isCreator,
      publicDashboardId,
      securityContext,
      settings,
      theme,
      locale: localeOf(settings),
      timeZone: timeZoneOf(settings),
      branchName: session.branchName,
      expiresAt: session.expiresAt.toISOString(),
    };
  }

  /** Undefined for a session that is over: its own time, the account's switch, and the user of the account end it. */
  private async live(tenantId: number, sessionId: string): Promise<LiveSession | undefined> {
    const session = await this.sessions.findOpen(this.database, tenantId, sessionId);
    if (!session) return undefined;
    const [{ isEnabled }, user] = await Promise.all([
      this.bus.ask('describeEmbedding', systemPrincipal(tenantId), {}),
      this.userOf(tenantId, session),
    ]);
    return isEnabled && (user !== null || session.embedUserId !== null) ? { session, user } : undefined;
  }

  private async userOf(
    tenantId: number,
    { userId, userGeneration }: Pick<OpenSession, 'userId' | 'userGeneration'>,
  ): Promise<AccountUser | null> {
    if (userId === null || userGeneration === null) return null;
    const reference = { userId, generation: userGeneration };
    return (await this.bus.ask('describeAccountUser', systemPrincipal(tenantId), reference)).user;
  }

  private async securityContext(
    tenantId: number,
    { embedUserId, userId, context, isCreator, embedTenantName }: OpenSession,
  ): Promise<Record<string, unknown> | undefined> {
    if (embedUserId === null) {
      return (await this.bus.ask('describeDataCaller', systemPrincipal(tenantId), { userId })).securityContext;
    }
    return this.subjects.contextOf(tenantId, embedUserId, {
      context: context.securityContext,
      roles: context.roles,
      usesOwnAttributes: isCreator && embedTenantName !== null,
    });
  }
}
