import type { Schemas } from '@plinth/contract';
import { BaseRepository, type Database, type Transaction } from '@plinth/database';
import { IsNull, Not, Or, type FindOptionsWhere } from 'typeorm';
import { OAuthArtefact } from './oauth-artefact.entity';

export type ArtefactReference = Schemas['OAuthArtefactReference'];

/** A live artefact as it is stored. */
export interface StoredArtefact {
  idHash: string;
  sealedContent: string;
  /** Seconds since it was used up; null for one that was not. */
  consumedForSeconds: number | null;
}

/** The user behind an access token, as far as deciding on a request needs them. */
export interface TokenHolder {
  grantHash: string;
  userId: number;
  userName: string;
  email: string | null;
  isAdmin: boolean;
  /** Whether the token opens the API; otherwise it opens the MCP server alone. */
  isForApi: boolean;
}

/** In the order of the statement that stores them. */
const columns = [
  'tenantId',
  'kind',
  'idHash',
  'aliasHash',
  'grantHash',
  'userId',
  'clientId',
  'clientName',
  'clientIp',
  'scope',
  'sealedContent',
  'expiresAt',
] as const satisfies readonly (keyof OAuthArtefact)[];

/** Nothing lives on of a user who is deactivated. */
const alive = `a.expires_at > now()
  and not exists (select from user_account u where u.id = a.user_id and u.deactivated_at is not null)`;

const artefactBy = (column: 'id_hash' | 'alias_hash'): string => `
  select a.id_hash as "idHash", a.sealed_content as "sealedContent",
    extract(epoch from now() - a.consumed_at)::float as "consumedForSeconds"
  from oauth_artefact a where a.kind = $1 and a.${column} = $2 and ${alive}
  order by a.created_at desc limit 1`;

export class OAuthArtefactsRepository extends BaseRepository {
  /**
   * Stores the artefact, or the new state of one. Whether it was used up stays, and one that has ended does not come
   * back: a request that began before the end may store it after.
   */
  async put(tx: Transaction, artefact: OAuthArtefact): Promise<void> {
    await this.managerFor(tx).query(
      `insert into oauth_artefact (tenant_id, kind, id_hash, alias_hash, grant_hash, user_id, client_id, client_name,
         client_ip, scope, sealed_content, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
       on conflict (tenant_id, kind, id_hash) do update set
         alias_hash = excluded.alias_hash, grant_hash = excluded.grant_hash, user_id = excluded.user_id,
         client_id = excluded.client_id, client_name = excluded.client_name, scope = excluded.scope,
         sealed_content = excluded.sealed_content, expires_at = excluded.expires_at, last_used_at = now()
       where oauth_artefact.expires_at > clock_timestamp()`,
      columns.map((column) => artefact[column]),
    );
  }

  async findById(database: Database, tenantId: number, kind: string, idHash: string) {
    const statement = { name: 'oauth-artefact-by-id', text: artefactBy('id_hash') };
    return (await database.read<StoredArtefact>(tenantId, statement, [kind, idHash]))[0];
  }

  async findByAlias(database: Database, tenantId: number, kind: string, aliasHash: string) {
    const statement = { name: 'oauth-artefact-by-alias', text: artefactBy('alias_hash') };
    return (await database.read<StoredArtefact>(tenantId, statement, [kind, aliasHash]))[0];
  }

  /** Marks the artefact as used. Whether it had not been: of two who come at once, one is told no. */
  async consume(tx: Transaction, { kind, idHash }: ArtefactReference): Promise<boolean> {
    const [, affected] = (await this.managerFor(tx).query(
      'update oauth_artefact set consumed_at = now() where kind = $1 and id_hash = $2 and consumed_at is null',
      [kind, idHash],
    )) as [unknown, number];
    return affected === 1;
  }

  /** Ends one artefact. What has ended is deleted some time later. */
  async end(tx: Transaction, { kind, idHash }: ArtefactReference): Promise<void> {
    await this.expire(tx, { kind, idHash });
  }

  /** Ends an approval, and all that clients hold because of it. */
  async endGrant(tx: Transaction, grantHash: string): Promise<void> {
    await this.expire(tx, { grantHash });
  }

  /**
   * Ends every session of the user, and all that clients hold in their name, apart from what one approval gave. API keys
   * stay.
   */
  async endAllOfUser(tx: Transaction, userId: number, keptGrant?: string): Promise<void> {
    const others = keptGrant === undefined ? {} : { grantHash: Or(IsNull(), Not(keptGrant)) };
    await this.expire(tx, { userId, ...others });
    await this.endDataTokens(tx, userId);
  }

  /** Tokens for data APIs are stored nowhere, so each says how often they had been ended when it was made. */
  private async endDataTokens(tx: Transaction, userId: number): Promise<void> {
    await this.managerFor(tx).query(
      `with listed as (delete from environment_token where owner = $2)
       update user_account set token_generation = token_generation + 1 where id = $1`,
      [userId, `user:${userId}`],
    );
  }

  private async expire(tx: Transaction, which: FindOptionsWhere<OAuthArtefact>): Promise<void> {
    await this.managerFor(tx).update(OAuthArtefact, which, { expiresAt: () => 'now()' });
  }

  /** Seconds since the device last asked; null the first time. */
  async notePoll(tx: Transaction, idHash: string): Promise<number | null> {
    const [row] = (await this.managerFor(tx).query(
      `with earlier as (
         select tenant_id, kind, id_hash, polled_at from oauth_artefact
         where kind = 'DeviceCode' and id_hash = $1 for update
       ), noted as (
         update oauth_artefact a set polled_at = clock_timestamp() from earlier e
         where a.tenant_id = e.tenant_id and a.kind = e.kind and a.id_hash = e.id_hash
       )
       select extract(epoch from clock_timestamp() - polled_at)::float as seconds from earlier`,
      [idHash],
    )) as { seconds: number | null }[];
    return row?.seconds ?? null;
  }

  /**
   * The holder of a live access token for the API or the MCP server; undefined for other tokens, for a deactivated user, and when the
   * approval has ended meanwhile. Notes the use of the approval, at most once a minute.
   */
  async findTokenHolder(database: Database, tenantId: number, idHash: string): Promise<TokenHolder | undefined> {
    const [holder] = await database.run<TokenHolder>(
      tenantId,
      {
        name: 'holder-of-access-token',
        text: `with live as (
                 select g.tenant_id, g.kind, g.id_hash, g.last_used_at, u.id as user_id,
                   coalesce(u.first_name, u.username) as user_name, u.email, u.is_admin,
                   'api' = any (string_to_array(a.scope, ' ')) as is_for_api
                 from oauth_artefact a
                 join oauth_artefact g on g.kind = 'Grant' and g.id_hash = a.grant_hash
                 join user_account u on u.id = a.user_id
                 where a.kind = 'AccessToken' and a.id_hash = $1
                   and string_to_array(a.scope, ' ') && array['api', 'mcp-agent-access']
                   and a.expires_at > now() and g.expires_at > now() and u.deactivated_at is null
               ), used as (
                 update oauth_artefact g set last_used_at = now() from live
                 where g.tenant_id = live.tenant_id and g.kind = live.kind and g.id_hash = live.id_hash
                   and g.last_used_at < now() - interval '1 minute'
               )
               select id_hash as "grantHash", user_id as "userId", user_name as "userName", email,
                 is_admin as "isAdmin", is_for_api as "isForApi" from live`,
      },
      [idHash],
    );
    return holder;
  }
}
