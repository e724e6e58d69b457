import { BaseRepository, type Transaction } from '@plinth/database';

/** Where a user is signed in: a browser, or a client that they have approved. */
export interface Session {
  id: number;
  kind: 'Grant' | 'Session';
  idHash: string;
  clientId: string | null;
  clientName: string | null;
  clientIp: string | null;
  /** Scopes, separated by blanks; null for a browser. */
  scope: string | null;
  createdAt: Date;
  lastUsedAt: Date;
}

/** A client whose tokens have all expired is no longer signed in, though the approval lasts longer. */
const liveSessions = `
  select s.id, s.kind, s.id_hash as "idHash", s.client_id as "clientId", s.client_name as "clientName",
    s.client_ip as "clientIp", t.scope, s.created_at as "createdAt", s.last_used_at as "lastUsedAt"
  from oauth_artefact s
  left join lateral (
    select scope, true as lives from oauth_artefact
    where tenant_id = s.tenant_id and grant_hash = s.id_hash and kind in ('AccessToken', 'RefreshToken')
      and expires_at > now() limit 1
  ) t on s.kind = 'Grant'
  where s.user_id = $1 and s.kind in ('Grant', 'Session') and s.expires_at > now()
    and (s.kind = 'Session' or t.lives)`;

export class SessionsRepository extends BaseRepository {
  /** Newest first, those older than `beforeId` when it is given. */
  list(tx: Transaction, userId: number, limit: number, beforeId?: number): Promise<Session[]> {
    return this.managerFor(tx).query(
      `${liveSessions} and ($2::bigint is null or s.id < $2) order by s.id desc limit $3`,
      [userId, beforeId ?? null, limit],
    ) as Promise<Session[]>;
  }

  async find(tx: Transaction, userId: number, id: number): Promise<Session | undefined> {
    const rows = (await this.managerFor(tx).query(`${liveSessions} and s.id = $2`, [userId, id])) as Session[];
    return rows[0];
  }
}
