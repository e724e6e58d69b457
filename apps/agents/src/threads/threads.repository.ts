import { randomUUID } from 'node:crypto';
import { BaseRepository, type Transaction } from '@plinth/database';
import type { ChatLine, ChatThread } from './chat-thread';

/** How long an answer counts as under way without a sign of life, in seconds. */
const LEASE_SECONDS = 20;

/** Of all messages that are read at once, as text. */
const MOST_CHARACTERS = 8 << 20;

const isRunning = 'running_until > now()';
const columns = `id, agent_id as "agentId", deployment_id as "deploymentId", owner, title, created_at as "createdAt",
  updated_at as "updatedAt", case when ${isRunning} then running_message_id end as "runningMessageId",
  case when ${isRunning} then turn_id end as "turnId", coalesce(running_until <= now(), false) as "isAbandoned"`;

export interface Turn {
  threadId: string;
  turnId: string;
}

export class ThreadsRepository extends BaseRepository {
  async find(tx: Transaction, id: string, lock = false): Promise<ChatThread | undefined> {
    const text = `select ${columns} from chat_thread where id = $1 ${lock ? 'for update' : ''}`;
    return (await this.managerFor(tx).query<ChatThread[]>(text, [id]))[0];
  }

  /** Newest first; those before a position when it is given. */
  list(
    tx: Transaction,
    tenantId: number,
    owner: string,
    limit: number,
    before?: { updatedAt: string; id: string },
  ): Promise<ChatThread[]> {
    return this.managerFor(tx).query<ChatThread[]>(
      `select ${columns} from chat_thread where tenant_id = $1 and owner = $2
         and ($3::timestamptz is null or (date_trunc('milliseconds', updated_at), id) < ($3, $4::uuid))
       order by date_trunc('milliseconds', updated_at) desc, id desc limit $5`,
      [tenantId, owner, before?.updatedAt ?? null, before?.id ?? null, limit],
    );
  }

  async insert(
    tx: Transaction,
    tenantId: number,
    thread: Pick<ChatThread, 'id' | 'agentId' | 'deploymentId' | 'owner' | 'title'>,
  ): Promise<void> {
    const { id, agentId, deploymentId, owner, title } = thread;
    await this.managerFor(tx).query(
      `insert into chat_thread (id, tenant_id, agent_id, deployment_id, owner, title) values ($1, $2, $3, $4, $5, $6)`,
      [id, tenantId, agentId, deploymentId, owner, title],
    );
  }

  async deleteOfOwner(tx: Transaction, tenantId: number, owner: string): Promise<void> {
    await this.managerFor(tx).query('delete from chat_thread where tenant_id = $1 and owner = $2', [tenantId, owner]);
  }

  async delete(tx: Transaction, id: string): Promise<void> {
    await this.managerFor(tx).query('delete from chat_thread where id = $1', [id]);
  }

  async begin(tx: Transaction, { threadId, turnId }: Turn, messageId: string): Promise<void> {
    await this.managerFor(tx).query(
      `update chat_thread set turn_id = $2, running_message_id = $3, updated_at = now(),
         running_until = now() + interval '${LEASE_SECONDS} seconds' where id = $1`,
      [threadId, turnId, messageId],
    );
  }

  /** Says that the answer goes on. Returns whether it may: somebody may have ended it. */
  async prolong(tx: Transaction, { threadId, turnId }: Turn): Promise<boolean> {
    const [, count] = await this.managerFor(tx).query<[unknown, number]>(
      `update chat_thread set running_until = now() + interval '${LEASE_SECONDS} seconds'
       where id = $1 and turn_id = $2 and running_until is not null`,
      [threadId, turnId],
    );
    return count > 0;
  }

  /** The answer is over. It stays the thread's last until another begins, and may add to it until then. */
  async end(tx: Transaction, { threadId, turnId }: Turn): Promise<void> {
    await this.managerFor(tx).query(
      `update chat_thread set running_message_id = null, running_until = null, updated_at = now()
       where id = $1 and turn_id = $2`,
      [threadId, turnId],
    );
  }

  /** Takes the thread from an answer whose process gives no sign of life: it adds nothing any more. */
  async takeAbandoned(tx: Transaction, threadId: string): Promise<Turn | undefined> {
    const turn = { threadId, turnId: randomUUID() };
    const [, count] = await this.managerFor(tx).query<[unknown, number]>(
      `update chat_thread set running_message_id = null, running_until = null, turn_id = $2
       where id = $1 and running_until <= now()`,
      [threadId, turn.turnId],
    );
    return count > 0 ? turn : undefined;
  }

  /** What was said from a place on, oldest first: the newest `limit` of it, and no more than is held at once. */
  async messages(tx: Transaction, threadId: string, from = 0, limit = 500): Promise<ChatLine[]> {
    const rows = await this.managerFor(tx).query<{ line: ChatLine }[]>(
      `select line from (
         select line, sort, sum(length(line::text)) over (order by sort desc) as characters from (
           select line, sort from chat_message where thread_id = $1 and sort >= $2 order by sort desc limit $3) newest
       ) sized where characters <= $4 order by sort desc`,
      [threadId, from, limit, MOST_CHARACTERS],
    );
    return rows.reverse().map(({ line }) => line);
  }

  /** Place of the message with the id; undefined when there is none. */
  async placeOf(tx: Transaction, threadId: string, messageId: string): Promise<number | undefined> {
    const [row] = await this.managerFor(tx).query<{ sort: number }[]>(
      `select sort from chat_message where thread_id = $1 and line ->> 'id' = $2`,
      [threadId, messageId],
    );
    return row?.sort;
  }

  async nextPlace(tx: Transaction, threadId: string): Promise<number> {
    const [row] = await this.managerFor(tx).query<{ next: number }[]>(
      'select coalesce(max(sort) + 1, 0)::int as next from chat_message where thread_id = $1',
      [threadId],
    );
    return row?.next ?? 0;
  }

  /** Keeps messages that are complete; none of a thread that is gone, or has another answer by now. */
  async add(tx: Transaction, tenantId: number, { threadId, turnId }: Turn, lines: readonly ChatLine[]): Promise<void> {
    if (lines.length === 0) return;
    await this.managerFor(tx).query(
      `insert into chat_message (tenant_id, thread_id, sort, line)
       select $1, $2, (line ->> 'sort')::int, line from jsonb_array_elements($3::jsonb) line,
         (select from chat_thread where id = $2 and turn_id = $4 for update) thread
       on conflict do nothing`,
      [tenantId, threadId, JSON.stringify(lines, (_name, value: unknown) => storable(value)), turnId],
    );
  }
}

const HALF_CHARACTERS = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** PostgreSQL keeps neither NUL nor half characters, and models write whatever they like. */
const storable = (value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll('\0', '').replace(HALF_CHARACTERS, '\ufffd') : value;
