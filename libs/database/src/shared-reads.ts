import { Query, type Connection, type PoolClient, type QueryResult } from 'pg';
import type { NamedStatement } from './named-statement';

const SELECT = /^\s*(select|with)\b/;
const CHANGE =
  /\b(insert\s+into|update\s+\w+\s+set|delete\s+from|merge\s+into|for\s+(no\s+key\s+)?(update|share)|for\s+key\s+share)\b/;

/** Where shared reads get their connections. */
export interface ReadConnections {
  /** A connection for nobody else, which is set to the tenant. */
  take(tenantId: number): Promise<PoolClient>;
  /** @param failure of a read on it. */
  giveBack(client: PoolClient, failure: unknown): void;
  /** Whether somebody waits for a connection. */
  isContended(): boolean;
}

/**
 * Reads of one tenant that are under way at the same time share a connection: what becomes due in one turn of the event
 * loop leaves in one write, and each is a transaction of its own. Reads of two tenants never share one: the first
 * read is sent when the server has confirmed the tenant, and the connection changes hands when the last has its rows.
 */
export class SharedReads {
  /** Those that take newcomers. */
  private readonly open = new Map<number, ReadBatch>();

  private readonly plain = new Set<string>();

  /** @param mostTogether reads that share a connection at most: each may wait for all before it, none of which waits for a row. */
  constructor(
    private readonly connections: ReadConnections,
    private readonly mostTogether = 16,
  ) {}

  /** @param statement a plain SELECT: what waits for a row that somebody else changes would hold up all reads after it. */
  async rows<Row>(tenantId: number, statement: NamedStatement, values: readonly unknown[]): Promise<Row[]> {
    this.requirePlain(statement);
    return (await this.batchOf(tenantId).query(statement, values)).rows as Row[];
  }

  private batchOf(tenantId: number): ReadBatch {
    const open = this.open.get(tenantId);
    if (open?.takesMore()) return open;
    const batch: ReadBatch = new ReadBatch(tenantId, this.connections, this.mostTogether, () => {
      if (this.open.get(tenantId) === batch) this.open.delete(tenantId);
    });
    this.open.set(tenantId, batch);
    return batch;
  }

  private requirePlain({ name, text }: NamedStatement): void {
    if (this.plain.has(name)) return;
    if (!SELECT.test(text) || CHANGE.test(text)) throw new Error(`${name} is no plain SELECT`);
    if (name !== '') this.plain.add(name);
  }
}

/** Reads of one tenant on one connection, from the first until none is under way any more. */
class ReadBatch {
  private readonly opening: Promise<PoolClient>;
  private client: PoolClient | undefined;
  private underWay = 0;
  private failure: unknown;
  private isGathering = false;

  constructor(
    tenantId: number,
    private readonly connections: ReadConnections,
    private readonly mostTogether: number,
    private readonly onEnd: () => void,
  ) {
    this.opening = connections.take(tenantId);
  }

  /** Whoever waits for a connection gets this one when its reads are done, so they must come to an end. */
  takesMore(): boolean {
    if (this.underWay >= this.mostTogether || this.failure !== undefined) return false;
    return this.client === undefined || !this.connections.isContended();
  }

  async query(statement: NamedStatement, values: readonly unknown[]): Promise<QueryResult> {
    this.underWay += 1;
    try {
      this.client ??= await this.opening;
      return await this.send(this.client, statement, values);
    } catch (error) {
      this.failure ??= error;
      throw error;
    } finally {
      this.underWay -= 1;
      if (this.underWay === 0) this.end();
    }
  }

  private send(client: PoolClient, { name, text }: NamedStatement, values: readonly unknown[]): Promise<QueryResult> {
    this.gather(client);
    return new Promise((resolve, reject) => {
      // A promise of pg's own would take a stack trace for each read, and a configuration object would be copied.
      const query = new Query(text, values as unknown[], (error: Error | undefined, result: QueryResult) =>
        error ? reject(error) : resolve(result),
      );
      client.query(Object.assign(query, { name }));
    });
  }

  /** Holds statements back until what has arrived by now is dealt with, which may bring more of them. */
  private gather(client: PoolClient): void {
    if (this.isGathering) return;
    this.isGathering = true;
    const { stream } = (client as PoolClient & { connection: Connection }).connection;
    stream.cork();
    setImmediate(() => {
      this.isGathering = false;
      stream.uncork();
    });
  }

  private end(): void {
    this.onEnd();
    if (this.client) this.connections.giveBack(this.client, this.failure);
  }
}
