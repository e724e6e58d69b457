import type { Schemas } from '@plinth/contract';
import { BaseRepository, type Database, type Transaction } from '@plinth/database';
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
  email: string;
  isAdmin: boolean;
}

/** Nothing lives on of a user who is deactivated. */
const alive = `a.expires_at > now()
  and not exists (select from user_account u where u.id = a.user_id and u.deactivated_at is not null)`;

const artefactBy = (column: 'id_hash' | 'alias_hash'): string => `
  select a.id_hash as "idHash", a.sealed_content as "sealedContent",
    extract(epoch from now() - a.consumed_at)::float as "consumedForSeconds"
  from oauth_artefact a where a.kind = $1 and a.${column} = $2 and ${alive}
  order by a.created_at desc limit 1`;

export class OAuthArtefactsRepository extends BaseRepository {
  /** Stores the artefact, or the new state of one; whether it was used up stays. */
  async put(tx: Transaction, artefact: OAuthArtefact): Promise<void> {
    await this.managerFor(tx).upsert(OAuthArtefact, artefact, ['tenantId', 'kind', 'idHash']);
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

  async delete(tx: Transaction, { kind, idHash }: ArtefactReference): Promise<void> {
    await this.managerFor(tx).delete(OAuthArtefact, { kind, idHash });
  }

  async deleteOfGrant(tx: Transaction, grantHash: string): Promise<void> {
    await this.managerFor(tx).delete(OAuthArtefact, { grantHash });
  }

  /** Ends every session of the user, and all that clients hold in their name. */
  async deleteOfUser(tx: Transaction, userId: number): Promise<void> {
    await this.managerFor(tx).delete(OAuthArtefact, { userId });
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

  /** The holder of a live access token for the API; undefined for other tokens and for a deactivated user. */
  async findTokenHolder(database: Database, tenantId: number, idHash: string): Promise<TokenHolder | undefined> {
    const [holder] = await database.read<TokenHolder>(
      tenantId,
      {
        name: 'holder-of-access-token',
        text: `select a.grant_hash as "grantHash", u.id as "userId", coalesce(u.first_name, u.username) as "userName",
                 u.email, u.is_admin as "isAdmin"
               from oauth_artefact a join user_account u on u.id = a.user_id
               where a.kind = 'AccessToken' and a.id_hash = $1 and a.grant_hash is not null
                 and 'api' = any (string_to_array(a.scope, ' '))
                 and a.expires_at > now() and u.deactivated_at is null`,
      },
      [idHash],
    );
    return holder;
  }
}
