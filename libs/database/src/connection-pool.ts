import type { Pool, PoolClient } from 'pg';
import { DataSource, type EntityTarget, type ObjectLiteral, type QueryRunner } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { connectionSettings } from './connection-settings';
import { isConnectionLost, translateError } from './database-error';
import { PlinthNamingStrategy } from './naming-strategy';
import type { NamedStatement } from './named-statement';
import { send, type Reader } from './reader';
import { SharedReads, type ReadConnections } from './shared-reads';
import { TENANT_SETTING } from './tenant-isolation';

export interface PoolOptions {
  url: string;
  schema: string;
  role: string;
  entities: readonly EntityTarget<ObjectLiteral>[];
  size: number;
  statementTimeoutMs: number;
  /** Called when an idle connection breaks; the pool replaces it. */
  onConnectionError: (error: Error) => void;
}

/** Lists that share a connection at most: each keeps the server busy for some milliseconds, and those after it waiting. */
const LISTS_TOGETHER = 4;
const CONNECT_TIMEOUT_MS = 10_000;
/** Longer than the period of what looks for work: a connection costs both ends some milliseconds to make. */
const IDLE_MS = 60_000;
const IDLE_IN_TRANSACTION_MS = 120_000;

/** Connections under one role. Whoever takes one says for which tenant, or null under the system role. */
export class ConnectionPool {
  /**
   * Tenant that a connection is set to. An entry exists only while every statement since was one of `read` or `run`, whose
   * texts are ours: a transaction may run anything, so a connection leaves it without an entry.
   */
  private readonly tenants = new WeakMap<PoolClient, number>();
  private readonly sources: ReadConnections = {
    take: (tenantId) => this.takeFor(tenantId),
    giveBack: (client, failure) => this.giveBack(client, failure),
    isContended: () => this.connections.waitingCount > 0,
  };
  private readonly reads = new SharedReads(this.sources);
  private readonly lists = new SharedReads(this.sources, LISTS_TOGETHER);

  private constructor(private readonly dataSource: DataSource) {}

  static async open(options: PoolOptions): Promise<ConnectionPool> {
    const { connectionString, ...settings } = connectionSettings(options.url, {
      role: options.role,
      search_path: options.schema,
      statement_timeout: options.statementTimeoutMs,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    });
    const dataSource = new DataSource({
      type: 'postgres',
      url: connectionString,
      extra: { ...settings, keepAlive: true, pipeline: true, idleTimeoutMillis: IDLE_MS },
      schema: options.schema,
      entities: [...options.entities] as never[],
      namingStrategy: new PlinthNamingStrategy(),
      poolSize: options.size,
      connectTimeoutMS: CONNECT_TIMEOUT_MS,
      poolErrorHandler: options.onConnectionError,
      installExtensions: false,
    });
    try {
      await dataSource.initialize();
    } catch (error) {
      throw translateError(error);
    }
    const pool = new ConnectionPool(dataSource);
    pool.listenToBreaks(options.onConnectionError);
    return pool;
  }

  /** Rows of a plain SELECT, on a connection that reads of the tenant share: one round trip when it served it last. */
  read<Row>(tenantId: number, statement: NamedStatement, values: readonly unknown[]): Promise<Row[]> {
    return rowsOf<Row>(this.reads, tenantId, statement, values);
  }

  reader(tenantId: number, what: 'few rows' | 'lists'): Reader {
    const reads = what === 'lists' ? this.lists : this.reads;
    return { tenantId, [send]: (statement, values) => rowsOf(reads, tenantId, statement, values) };
  }

  /** Rows of any prepared statement, on a connection of its own. */
  async run<Row>(tenantId: number | null, statement: NamedStatement, values: readonly unknown[]): Promise<Row[]> {
    let client: PoolClient | undefined;
    let failure: unknown;
    try {
      client = await this.takeFor(tenantId);
      const { rows } = await client.query<Row & ObjectLiteral>({ ...statement, values: [...values] });
      return rows;
    } catch (error) {
      failure = error;
      throw translateError(error);
    } finally {
      if (client) this.giveBack(client, failure);
    }
  }

  /** One connection for any number of statements and transactions. */
  async session<T>(tenantId: number | null, work: (queryRunner: QueryRunner) => Promise<T>): Promise<T> {
    return this.connection(async (queryRunner) => {
      const client = (await queryRunner.connect()) as PoolClient;
      await this.bindTenant(client, tenantId);
      this.tenants.delete(client);
      return work(queryRunner);
    });
  }

  /** A connection for transactions, each of which sets its tenant itself; statements outside of them have none. */
  async connection<T>(work: (queryRunner: QueryRunner) => Promise<T>): Promise<T> {
    const queryRunner = this.dataSource.createQueryRunner();
    try {
      const client = (await queryRunner.connect()) as PoolClient;
      this.tenants.delete(client);
      return await work(queryRunner);
    } catch (error) {
      throw translateError(error);
    } finally {
      await queryRunner.release();
    }
  }

  async close(): Promise<void> {
    await this.dataSource.destroy();
  }

  private get connections(): Pool {
    return (this.dataSource.driver as PostgresDriver).master as Pool;
  }

  /** A connection that breaks while its user sends nothing raises an event, and node ends when nobody listens. */
  private listenToBreaks(onError: (error: Error) => void): void {
    const known = new WeakSet<PoolClient>();
    this.connections.on('acquire', (client) => {
      if (known.has(client)) return;
      known.add(client);
      client.on('error', onError);
    });
  }

  private async takeFor(tenantId: number | null): Promise<PoolClient> {
    const client = await this.connections.connect();
    try {
      await this.bindTenant(client, tenantId);
      return client;
    } catch (error) {
      this.giveBack(client, error);
      throw error;
    }
  }

  private giveBack(client: PoolClient, failure: unknown): void {
    if (failure !== undefined) this.tenants.delete(client);
    client.release(isConnectionLost(failure));
  }

  private async bindTenant(client: PoolClient, tenantId: number | null): Promise<void> {
    if (tenantId === null || this.tenants.get(client) === tenantId) return;
    if (!Number.isSafeInteger(tenantId)) throw new TypeError('A tenant id is an integer');
    this.tenants.delete(client);
    await client.query(`select set_config('${TENANT_SETTING}', $1, false)`, [String(tenantId)]);
    this.tenants.set(client, tenantId);
  }
}

async function rowsOf<Row>(
  reads: SharedReads,
  tenantId: number,
  statement: NamedStatement,
  values: readonly unknown[],
): Promise<Row[]> {
  try {
    return await reads.rows<Row>(tenantId, statement, values);
  } catch (error) {
    throw translateError(error);
  }
}
