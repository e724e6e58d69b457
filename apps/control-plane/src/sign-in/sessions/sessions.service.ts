import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { QueryOf, ReplyOf, Schemas } from '@plinth/contract';
import { byId, Database, keysetList } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { AccessChanges } from '../../kernel';
import { credentialIdOf } from '../oauth/access-token';
import { OAuthArtefactsRepository } from '../oauth/oauth-artefacts.repository';
import { userNotFound, UsersRepository } from '../../people';
import { SessionsRepository, type Session } from './sessions.repository';

/** Where people are signed in, and how they take it back. */
@Injectable()
export class SessionsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly changes: AccessChanges,
    private readonly sessions: SessionsRepository,
    private readonly artefacts: OAuthArtefactsRepository,
    private readonly users: UsersRepository,
  ) {}

  async list(principal: Principal, query: QueryOf<'listMySessions'>): Promise<ReplyOf<'listMySessions'>> {
    const userId = ownUserId(principal);
    const page = await keysetList(query, {
      name: 'sessions',
      filters: { userId },
      positionOf: byId,
      read: (limit, [beforeId]) =>
        this.database.transaction(principal.tenantId, (tx) => this.sessions.list(tx, userId, limit, beforeId)),
    });
    return { ...page, items: page.items.map((session) => toContractSession(session, principal)) };
  }

  /** Ends one of the caller's own sessions; every gateway is told at once. */
  async end(principal: Principal, id: number): Promise<ReplyOf<'endMySession'>> {
    const userId = ownUserId(principal);
    return this.changes.mutate(principal, async (tx) => {
      const session = await this.sessions.find(tx, userId, id);
      if (!session) throw new AppError('session.not_found', 'You have no such session');
      if (session.kind === 'Grant') await this.artefacts.endGrant(tx, session.idHash);
      else await this.artefacts.end(tx, session);
      return { success: true };
    });
  }

  /** Ends all sessions of a user, if there are any; the user's API keys keep working. */
  async endAll(principal: Principal, userId: number): Promise<ReplyOf<'endUserSessions'>> {
    return this.changes.mutate(principal, async (tx) => {
      if (!(await this.users.findById(tx, userId))) throw userNotFound();
      await this.artefacts.endAllOfUser(tx, userId);
      return { success: true };
    });
  }
}

function ownUserId({ userId }: Principal): number {
  if (userId === null) throw new AppError('access.denied', 'Only a user has sessions');
  return userId;
}

const toContractSession = (
  { id, kind, idHash, clientId, clientName, clientIp, scope, createdAt, lastUsedAt }: Session,
  { credentialId }: Principal,
): Schemas['Session'] => ({
  id,
  kind: kind === 'Grant' ? 'client' : 'browser',
  clientId,
  clientName: clientName ?? clientId,
  scopes: scope?.split(' ') ?? [],
  address: clientIp,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt.toISOString(),
  isCurrent: credentialId === credentialIdOf(idHash),
});
