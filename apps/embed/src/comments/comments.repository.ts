import { BaseRepository, type Transaction } from '@plinth/database';
import type { DashboardComment } from './dashboard-comment.entity';

/** The comments that an embed tenant has on a dashboard. */
export interface CommentPlace {
  tenantId: number;
  embedTenantId: number;
  deploymentId: number;
  dashboardId: number;
}

/** Whether open threads are listed, and whether resolved ones are. */
export interface ThreadFilter {
  open: boolean;
  resolved: boolean;
}

export interface NewComment {
  rootId: number | null;
  authorId: number;
  body: string;
}

const columns = `c.id, c.tenant_id as "tenantId", c.embed_tenant_id as "embedTenantId",
  c.deployment_id as "deploymentId", c.dashboard_id as "dashboardId", c.root_id as "rootId", c.author_id as "authorId",
  c.body, c.created_at as "createdAt", c.edited_at as "editedAt", c.removed_at as "removedAt",
  c.resolved_at as "resolvedAt", c.reply_count as "replyCount", c.thread_bytes as "threadBytes"`;

/** Whoever writes holds the thread first, and measures it at the end. */
export class CommentsRepository extends BaseRepository {
  /** The comments that have opened threads, newest first, those before `beforeId` when it is given. */
  listThreads(
    tx: Transaction,
    { embedTenantId, dashboardId }: CommentPlace,
    { open, resolved }: ThreadFilter,
    limit: number,
    beforeId?: number,
  ): Promise<DashboardComment[]> {
    return this.managerFor(tx).query<DashboardComment[]>(
      `select ${columns} from dashboard_comment c
       where c.embed_tenant_id = $1 and c.dashboard_id = $2 and c.root_id is null
         and (case when c.resolved_at is null then $3::boolean else $4::boolean end)
         and ($5::bigint is null or c.id < $5)
       order by c.id desc limit $6`,
      [embedTenantId, dashboardId, open, resolved, beforeId ?? null, limit],
    );
  }

  /** Oldest first. */
  listReplies(tx: Transaction, rootIds: readonly number[]): Promise<DashboardComment[]> {
    return this.managerFor(tx).query<DashboardComment[]>(
      `select ${columns} from dashboard_comment c where c.root_id = any($1::bigint[]) order by c.root_id, c.id`,
      [rootIds],
    );
  }

  async find(tx: Transaction, place: CommentPlace, id: number): Promise<DashboardComment | undefined> {
    const [row] = await this.managerFor(tx).query<DashboardComment[]>(
      `select ${columns} from dashboard_comment c
       where c.embed_tenant_id = $1 and c.dashboard_id = $2 and c.id = $3`,
      [place.embedTenantId, place.dashboardId, id],
    );
    return row;
  }

  /** Nobody else writes to the thread before the transaction ends. */
  async holdThread(tx: Transaction, rootId: number): Promise<void> {
    await this.managerFor(tx).query('select id from dashboard_comment where id = $1 for update', [rootId]);
  }

  async insert(tx: Transaction, place: CommentPlace, { rootId, authorId, body }: NewComment): Promise<number> {
    const { tenantId, embedTenantId, deploymentId, dashboardId } = place;
    const [row] = await this.managerFor(tx).query<[{ id: number }]>(
      `insert into dashboard_comment (tenant_id, embed_tenant_id, deployment_id, dashboard_id, root_id, author_id, body)
       values ($1, $2, $3, $4, $5, $6, $7) returning id`,
      [tenantId, embedTenantId, deploymentId, dashboardId, rootId, authorId, body],
    );
    return row.id;
  }

  async setBody(tx: Transaction, id: number, body: string): Promise<void> {
    await this.managerFor(tx).query('update dashboard_comment set body = $2, edited_at = now() where id = $1', [
      id,
      body,
    ]);
  }

  /** With the replies to it; what was deleted before keeps its time. */
  async remove(tx: Transaction, id: number): Promise<void> {
    await this.managerFor(tx).query(
      `update dashboard_comment set body = '', removed_at = now()
       where (id = $1 or root_id = $1) and removed_at is null`,
      [id],
    );
  }

  /** What is resolved already keeps its time. */
  async setResolved(tx: Transaction, rootId: number, resolved: boolean): Promise<void> {
    await this.managerFor(tx).query(
      `update dashboard_comment set resolved_at = case when $2::boolean then coalesce(resolved_at, now()) end
       where id = $1`,
      [rootId, resolved],
    );
  }

  async measure(tx: Transaction, rootId: number): Promise<void> {
    await this.managerFor(tx).query(
      `update dashboard_comment c set reply_count = t.comments - 1, thread_bytes = t.bytes
       from (
         select count(*)::int as comments, sum(octet_length(body))::int as bytes
         from dashboard_comment where id = $1 or root_id = $1
       ) t
       where c.id = $1`,
      [rootId],
    );
  }

  async deleteOfDashboard(tx: Transaction, deploymentId: number, dashboardId: number): Promise<void> {
    await this.managerFor(tx).query(
      'delete from dashboard_comment where tenant_id = $1 and deployment_id = $2 and dashboard_id = $3',
      [tx.tenantId, deploymentId, dashboardId],
    );
  }

  async deleteOfDeployment(tx: Transaction, deploymentId: number): Promise<void> {
    await this.managerFor(tx).query('delete from dashboard_comment where tenant_id = $1 and deployment_id = $2', [
      tx.tenantId,
      deploymentId,
    ]);
  }
}
