import { BaseRepository, type Database, type Transaction } from '@plinth/database';
import { ScimToken } from './scim-token.entity';

/** More than anybody can have: one that works and the one that takes over from it. */
const LISTED = 100;

export type NewScimToken = Pick<ScimToken, 'tenantId' | 'name' | 'prefix' | 'tokenHash' | 'expiresAt'>;

/** A live token, as far as deciding on a request needs it. */
export interface LiveScimToken {
  tokenId: number;
  name: string | null;
}

export class ScimTokensRepository extends BaseRepository {
  list(tx: Transaction): Promise<ScimToken[]> {
    return this.managerFor(tx).find(ScimToken, { order: { id: 'DESC' }, take: LISTED });
  }

  insert(tx: Transaction, token: NewScimToken): Promise<ScimToken> {
    return this.managerFor(tx).save(ScimToken, { ...token, lastUsedAt: null }) as Promise<ScimToken>;
  }

  /** How many of the tenant work. Expired ones are removed, so that they never add up. */
  async countLive(tx: Transaction, tenantId: number): Promise<number> {
    const manager = this.managerFor(tx);
    await manager.query('delete from scim_token where tenant_id = $1 and expires_at <= now()', [tenantId]);
    return manager.countBy(ScimToken, { tenantId });
  }

  async delete(tx: Transaction, id: number): Promise<boolean> {
    const { affected } = await this.managerFor(tx).delete(ScimToken, { id });
    return affected === 1;
  }

  /** Undefined for an unknown, revoked or expired token. Notes the use, at most once a minute. */
  async findLive(database: Database, tenantId: number, tokenHash: string): Promise<LiveScimToken | undefined> {
    const [token] = await database.run<LiveScimToken>(
      tenantId,
      {
        name: 'live-scim-token',
        text: `with live as (
                 select id, name from scim_token where token_hash = $1 and (expires_at is null or expires_at > now())
               ), used as (
                 update scim_token t set last_used_at = now() from live
                 where t.id = live.id and (t.last_used_at is null or t.last_used_at < now() - interval '1 minute')
               )
               select id as "tokenId", name from live`,
      },
      [tokenHash],
    );
    return token;
  }
}
