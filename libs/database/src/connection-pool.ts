import type { Pool, PoolClient } from 'pg';
import { DataSource, type EntityTarget, type ObjectLiteral, type QueryRunner } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver';
import { connectionSettings } from './connection-settings';
import { isConnectionLost, translateError } from './database-error';
import { PlinthNamingStrategy } from './naming-strategy';
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

/**
 * A statement that PostgreSQL plans once per connection. One name means one text; under the empty name it is planned
 * for its values each time.
 */
export interface NamedStatement {
  name: string;
  text: string;
}

const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_IN_TRANSACTION_MS = 120_000;

/** Connections under one role. Whoever takes one says for which tenant, or null under the system role. */
export class ConnectionPool {
  /**
   * Tenant that a connection is set to. An entry exists only while every statement since was one of `read`, whose
   * texts are ours: a transaction may run anything, so a connection leaves it without an entry.
   */
  private readonly tenants = new WeakMap<PoolClient, number>();

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
      extra: { ...settings, keepAlive: true },
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

  /** Rows of a named prepared statement: one round trip when the connection served this tenant last. */
  async read<Row>(tenantId: number | null, statement: NamedStatement, values: readonly unknown[]): Promise<Row[]> {
    const client = await this.checkOut();
    let failure: unknown;
    try {
      await this.bindTenant(client, tenantId);
      const { rows } = await client.query<Row & ObjectLiteral>({ ...statement, values: [...values] });
      return rows;
    } catch (error) {
      failure = error;
      this.tenants.delete(client);
      throw translateError(error);
    } finally {
      client.release(isConnectionLost(failure));
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

  private async checkOut(): Promise<PoolClient> {
    try {
      return await this.connections.connect();
    } catch (error) {
      throw translateError(error);
    }
  }

  private async bindTenant(client: PoolClient, tenantId: number | null): Promise<void> {
    if (tenantId === null || this.tenants.get(client) === tenantId) return;
    if (!Number.isSafeInteger(tenantId)) throw new TypeError('A tenant id is an integer');
    this.tenants.delete(client);
    await client.query(`select set_config('${TENANT_SETTING}', $1, false)`, [String(tenantId)]);
    this.tenants.set(client, tenantId);
  }
}
