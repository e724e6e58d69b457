import type { Schemas } from '@plinth/contract';
import { BaseRepository, type Database, type Transaction } from '@plinth/database';
import { type SealedSecret, signing } from '../secrets';

/** Time that a session has to be exchanged, and that its token has then. */
const PERIODS = { toExchange: '5 minutes', ofToken: '24 hours' } as const;

/** What a host application has said of one session. */
export interface SessionContext {
  securityContext: Record<string, unknown>;
  roles: string[];
  settings: Schemas['EmbedSessionSettings'];
  theme: Schemas['EmbedTheme'] | null;
  publicDashboardId: string | null;
}

export interface NewSession {
  id: string;
  deploymentId: number;
  branchName: string | null;
  /** Null for none. */
  embedTenantId: number | null;
  /** Null for a user of the account. */
  embedUserId: number | null;
  user: Schemas['AccountUserReference'] | null;
  isCreator: boolean;
  context: SessionContext;
}

/** A session whose token is out. */
export interface OpenSession extends Omit<NewSession, 'embedTenantId' | 'user'> {
  expiresAt: Date;
  embedTenantName: string | null;
  userId: number | null;
  userGeneration: number | null;
  externalId: string | null;
  displayName: string | null;
  email: string | null;
  /** Groups of the embed tenant that the user is in. */
  groupIds: number[];
}

/** A session that was just exchanged. */
export type ExchangedSession = Pick<OpenSession, 'deploymentId' | 'context' | 'expiresAt'> & {
  /** What signs its token; null where there is none yet. */
  signing: SealedSecret | null;
};

const insertSession = {
  name: 'insert-embed-session',
  text: `insert into embed_session (tenant_id, id, deployment_id, branch_name, embed_tenant_id, embed_user_id,
           user_id, user_generation, is_creator, context, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now() + interval '${PERIODS.toExchange}')`,
};

const exchangeSession = {
  name: 'exchange-embed-session',
  text: `with exchanged as (
           update embed_session set exchanged_at = now(), expires_at = now() + interval '${PERIODS.ofToken}'
           where tenant_id = $1 and id = $2 and exchanged_at is null and expires_at > now()
           returning deployment_id, embed_user_id, context, expires_at
         ), seen as (
           update embed_user set last_login_at = now() where id = (select embed_user_id from exchanged)
         )
         select deployment_id as "deploymentId", context, expires_at as "expiresAt",
           (select to_jsonb(secret) from (${signing}) secret) as signing
         from exchanged`,
};

/** Sessions by what their ids hash to, so that who reads the table cannot exchange any. */
export class SessionsRepository extends BaseRepository {
  async insert(tx: Transaction, session: NewSession): Promise<void> {
    const { id, deploymentId, branchName, embedTenantId, embedUserId, user, isCreator, context } = session;
    await this.prepared(tx, insertSession, [
      tx.tenantId,
      id,
      deploymentId,
      branchName,
      embedTenantId,
      embedUserId,
      user?.userId ?? null,
      user?.generation ?? null,
      isCreator,
      JSON.stringify(context),
    ]);
  }

  /** Undefined for a session that is not there, or that somebody else has exchanged. */
  async exchange(tx: Transaction, id: string): Promise<ExchangedSession | undefined> {
    const [session] = await this.prepared<ExchangedSession>(tx, exchangeSession, [tx.tenantId, id]);
    return session;
  }

  async findOpen(database: Database, tenantId: number, id: string): Promise<OpenSession | undefined> {
    const [session] = await database.read<OpenSession>(
      tenantId,
      {
        name: 'open-embed-session',
        text: `select s.id, s.deployment_id as "deploymentId", s.branch_name as "branchName",
                 s.embed_user_id as "embedUserId", s.user_id as "userId", s.user_generation as "userGeneration",
                 s.is_creator as "isCreator", s.context, s.expires_at as "expiresAt",
                 nullif(t.name, '') as "embedTenantName",
                 u.external_id as "externalId", u.display_name as "displayName", u.email,
                 array(select group_id from embed_group_member
                       where embed_tenant_id = s.embed_tenant_id and embed_user_id = s.embed_user_id
                       order by group_id) as "groupIds"
               from embed_session s
               left join embed_tenant t on t.id = s.embed_tenant_id
               left join embed_user u on u.id = s.embed_user_id
               where s.tenant_id = $1 and s.id = $2 and s.exchanged_at is not null and s.expires_at > now()`,
      },
      [tenantId, id],
    );
    return session;
  }

  /** Whether there was one that could have been used. */
  delete(tx: Transaction, id: string): Promise<boolean> {
    return this.deleteWhere(tx, 'id', id);
  }

  /** Of a deployment that is gone. */
  deleteOfDeployment(tx: Transaction, deploymentId: number): Promise<boolean> {
    return this.deleteWhere(tx, 'deployment_id', deploymentId);
  }

  private async deleteWhere(tx: Transaction, column: 'id' | 'deployment_id', value: string | number): Promise<boolean> {
    const [rows] = (await this.managerFor(tx).query(
      `delete from embed_session where tenant_id = $1 and ${column} = $2 returning 1`,
      [tx.tenantId, value],
    )) as [unknown[]];
    return rows.length > 0;
  }
}
