import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal, type EmbedCaller, type Principal, type TokenAsker } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { AppError, invalidRequest } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { identityOfEmbedUser, identityOfExternal, identityOfUser, type Asker } from './asker';

type Settings = Schemas['ChatSessionSettings'];

const POINTER = '/body/sessionSettings';
const ofExternalUsers = ['userAttributes', 'groups', 'securityContext'] as const;

/** Finds out for whom a credential asks. Nobody but an administrator asks for others. */
@Injectable()
export class Askers {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  /**
   * @throws AppError `request.invalid` (400), `access.denied` and `embedding.off` (403), `user.not_found` (404), and what
   *   `resolveEmbedGrants` throws for groups and attributes (400)
   */
  async find(principal: Principal, settings: Settings | undefined): Promise<Asker> {
    if (principal.asker) return this.ofToken(principal, principal.asker);
    const { externalId, internalId } = settings ?? {};
    if (principal.embed) return this.embedded(principal, principal.embed, settings);
    if (externalId !== undefined && internalId !== undefined) throw oneOfBoth();
    if (settings && internalId !== undefined) return this.internal(principal, settings, internalId);
    if (settings && externalId !== undefined) return this.external(principal, settings, externalId);
    if (principal.kind === 'api-key' || principal.userId === null) throw oneOfBoth();
    return this.user(principal.tenantId, { userId: principal.userId });
  }

  /** Whose threads the principal means. @throws AppError `access.denied` (403) */
  ownerFor({ isAdmin, userId, embed }: Principal, externalId: string | undefined): string {
    if (externalId === undefined) return embed ? identityIn(embed, userId) : identityOfUser(userId ?? 0);
    if (!isAdmin || embed) throw forOthers();
    return identityOfExternal(externalId);
  }

  /** A session is for one user, whose context it has. */
  private async embedded(
    { tenantId, userId }: Principal,
    embed: EmbedCaller,
    settings: Settings | undefined,
  ): Promise<Asker> {
    for (const name of ['internalId', 'externalId', ...ofExternalUsers] as const) {
      if (settings?.[name] != null) throw invalidRequest(`${POINTER}/${name}`, 'is not for embed sessions');
    }
    const { sessionId } = embed;
    const facts = await this.bus.ask('describeEmbedSession', systemPrincipal(tenantId), { sessionId });
    const { securityContext, timeZone, branchName } = facts;
    return { tenantId, identity: identityIn(embed, userId), securityContext, timeZone, branchName };
  }

  private async internal(principal: Principal, settings: Settings, internalId: string): Promise<Asker> {
    for (const name of ofExternalUsers) {
      if (settings[name] != null) throw invalidRequest(`${POINTER}/${name}`, 'is not for users of the account');
    }
    const email = internalId.trim().toLowerCase();
    if (!principal.isAdmin && email !== principal.email?.toLowerCase()) throw forOthers();
    return this.user(principal.tenantId, { userId: null, email });
  }

  private async user(tenantId: number, who: { userId: number | null; email?: string }): Promise<Asker> {
    const found = await this.bus.ask('describeDataCaller', systemPrincipal(tenantId), who).catch(asNotFound);
    const { userId, securityContext, timeZone } = found;
    if (userId === null) throw noUser();
    return { tenantId, identity: identityOfUser(userId), securityContext, timeZone };
  }

  /** The token says for whom it is, and its context is that of their queries. */
  private async ofToken({ tenantId, userId }: Principal, { externalId, securityContext }: TokenAsker): Promise<Asker> {
    const platform = systemPrincipal(tenantId);
    const [{ isEnabled }, { timeZone }] = await Promise.all([
      this.bus.ask('describeEmbedding', platform, {}),
      this.bus.ask('describeDataCaller', platform, { userId: null }),
    ]);
    if (externalId !== null && !isEnabled) throw embeddingOff();
    const identity = externalId === null ? identityOfUser(userId ?? 0) : identityOfExternal(externalId);
    return { tenantId, identity, securityContext, timeZone };
  }

  private async external({ tenantId, isAdmin }: Principal, settings: Settings, externalId: string): Promise<Asker> {
    if (!isAdmin) throw forOthers();
    const platform = systemPrincipal(tenantId);
    const { email = null, groups, userAttributes, securityContext } = settings;
    const wanted = { groups: groups ?? [], groupIds: [], userAttributes: userAttributes ?? [] };
    const [{ isEnabled }, account, grants] = await Promise.all([
      this.bus.ask('describeEmbedding', platform, {}),
      this.bus.ask('describeDataCaller', platform, { userId: null }),
      this.bus.ask('resolveEmbedGrants', platform, wanted),
    ]);
    if (!isEnabled) throw embeddingOff();
    const given = new Map((userAttributes ?? []).map(({ name, value }) => [name, value ?? null]));
    const values = grants.attributes
      .map(({ name, defaultValue }) => [name, given.has(name) ? given.get(name) : defaultValue] as const)
      .filter(([, value]) => value !== null);
    return {
      tenantId,
      identity: identityOfExternal(externalId),
      securityContext: {
        ...securityContext,
        cubeCloud: {
          ...{ username: externalId, externalId, email, roles: [] },
          groups: grants.groups.map(({ name }) => name),
          userAttributes: Object.fromEntries(values),
        },
      },
      timeZone: account.timeZone,
    };
  }
}

const identityIn = ({ embedUserId }: EmbedCaller, userId: number | null): string =>
  embedUserId === null ? identityOfUser(userId ?? 0) : identityOfEmbedUser(embedUserId);

const oneOfBoth = (): AppError => invalidRequest(POINTER, 'must have exactly one of externalId and internalId');

const forOthers = (): AppError =>
  new AppError('access.denied', 'Only the credential of an administrator may ask for other users');

const embeddingOff = (): AppError =>
  new AppError('embedding.off', 'Embedding is switched off in the settings of the account');

const noUser = (): AppError => new AppError('user.not_found', 'There is no such active user');

/** The control plane says of somebody who may not sign in that there is nobody. */
function asNotFound(error: unknown): never {
  if (error instanceof AppError && error.code === 'auth.credential_invalid') throw noUser();
  throw error;
}
