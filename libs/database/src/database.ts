import type { ServiceName } from '@plinth/contract';
import type { Principal } from '@plinth/auth';
import { requestContext, type Logger } from '@plinth/observability';
import { Pool, types, type PoolClient, type QueryResultRow } from 'pg';
import { DataSource, type EntityTarget, type ObjectLiteral, type QueryRunner } from 'typeorm';
import { auditEvent } from './audit-event';
import { translateDatabaseError } from './database-errors';
import { IdempotencyRecords } from './idempotency-records';
import { migrate, type Migrations } from './migrate';
import { PlinthNamingStrategy } from './naming-strategy';
import type { SecretBox } from './secret-box';
import { serviceSchema, type ServiceSchema } from './service-schema';
import { enterTenant } from './tenancy/tenant-session';
import { ActiveTransaction, type Transaction } from './transaction';

// Ids are bigint and stay inside the safe integer range (the contract bounds them).
types.setTypeParser(types.builtins.INT8, Number);

export interface DatabaseOptions {
  service: ServiceName;
  url: string;
  entities: readonly EntityTarget<ObjectLiteral>[];
  migrations: Migrations;
  secrets: SecretBox;
  logger: Logger;
  poolSize: number;
  statementTimeoutMs: number;
}

/** A statement that is prepared once per connection under its name. */
export interface Statement {
  name: string;
  text: string;
}

/** Runs statements across tenants, under the service's system role. */
export type SystemQuery = <Row extends QueryResultRow>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** Several transactions on one connection that holds a lock from the first to the last. */
export interface LockedSession {
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

const systemPoolSize = 3;

/** The state of one service: its schema, seen through its own roles. */
export class Database {
  readonly schema: ServiceSchema;
  readonly secrets: SecretBox;
  private readonly idempotency: IdempotencyRecords;
  private readonly emitListeners = new Set<() => void>();

  private constructor(
    private readonly options: DatabaseOptions,
    private readonly source: DataSource,
    private readonly systemPool: Pool,
  ) {
    this.schema = serviceSchema(options.service);
    this.secrets = options.secrets;
    this.idempotency = new IdempotencyRecords(this.schema.schema, options.secrets);
  }

  /** Migrates the schema and connects. */
  static async open(options: DatabaseOptions): Promise<Database> {
    const schema = serviceSchema(options.service);
    await migrate({ url: options.url, schema, migrations: options.migrations, logger: options.logger });
    const source = new DataSource({
      type: 'postgres',
      url: options.url,
      schema: schema.schema,
      namingStrategy: new PlinthNamingStrategy(),
      entities: [...options.entities] as never,
      poolSize: options.poolSize,
      applicationName: `plinth ${options.service}`,
      poolErrorHandler: (error: unknown) => options.logger.warn({ err: error }, 'a database connection was lost'),
      extra: { options: startOptions(schema.role, schema.schema, options.statementTimeoutMs) },
    });
    await source.initialize();
    const systemPool = new Pool({
      connectionString: options.url,
      max: systemPoolSize,
      application_name: `plinth ${options.service} system`,
      options: startOptions(schema.systemRole, schema.schema, options.statementTimeoutMs),
    });
    systemPool.on('error', (error) => options.logger.warn({ err: error }, 'a database connection was lost'));
    return new Database(options, source, systemPool);
  }

  /** Runs a hot read as a prepared statement in the tenant: one round trip when the connection knows the tenant. */
  async read<Row extends QueryResultRow>(
    tenantId: number,
    statement: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const client = await this.pool.connect().catch(rethrowTranslated);
    let failure: unknown;
    try {
      await enterTenant(client, tenantId);
      const { rows } = await client.query<Row>({ ...statement, values: [...values] });
      return rows;
    } catch (error) {
      failure = error;
      throw translateDatabaseError(error);
    } finally {
      client.release(isBroken(failure));
    }
  }

  /** Runs `work` in a transaction that sees and writes one tenant alone. */
  async transaction<T>(tenantId: number, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const runner = this.source.createQueryRunner();
    try {
      return await this.runTransaction(runner, tenantId, work);
    } finally {
      await runner.release();
    }
  }

  /**
   * The one way in which an operation changes state. In one transaction: a request that repeats an idempotency key
   * gets the stored reply back, else `work` runs, its reply is stored under the key, and the audit event is recorded.
   * A crash before the commit leaves nothing behind; after it, a retry gets the same reply.
   *
   * @returns the reply of `work`, or the stored one; then the request context says `replayed`.
   * @throws AppError `idempotency.in_progress` (409), `idempotency.key_reused` (422).
   */
  async mutate<Reply>(principal: Principal, work: (tx: Transaction) => Promise<Reply>): Promise<Reply> {
    const context = requestContext();
    const claim = context?.idempotency;
    return this.transaction(principal.tenantId, async (tx) => {
      if (claim) {
        await this.idempotency.lock(tx, principal, claim);
        const stored = await this.idempotency.find<Reply>(tx, principal, claim);
        if (stored) return stored.reply;
      }
      const reply = await work(tx);
      await this.record(tx, principal, reply);
      return reply;
    });
  }

  /** What every mutation leaves behind besides its effect: the audit event, and the reply under its idempotency key. */
  async record(tx: Transaction, principal: Principal, reply: unknown): Promise<void> {
    const context = requestContext();
    if (context?.audit) await tx.emit('audit.recorded', auditEvent(context.audit, principal, context));
    if (context?.idempotency) await this.idempotency.store(tx, principal, context.idempotency, reply);
  }

  /** The stored reply of a repeated request; undefined when the request has not been answered before. */
  async replay<Reply>(tx: Transaction, principal: Principal): Promise<{ reply: Reply } | undefined> {
    const claim = requestContext()?.idempotency;
    return claim && this.idempotency.find<Reply>(tx, principal, claim);
  }

  /**
   * Holds a named lock of the tenant while `work` runs one or more transactions on the lock's connection. The lock
   * ends with the connection, so a crash frees it.
   *
   * @returns undefined when somebody else holds the lock.
   */
  async withLock<T>(
    tenantId: number,
    name: string,
    work: (session: LockedSession) => Promise<T>,
  ): Promise<T | undefined> {
    const runner = this.source.createQueryRunner();
    try {
      const [{ locked }] = (await runner
        .query('select pg_try_advisory_lock(hashtextextended($1, 0)) as locked', [
          lockName(this.schema, tenantId, name),
        ])
        .catch(rethrowTranslated)) as [{ locked: boolean }];
      if (!locked) return undefined;
      try {
        return await work({ transaction: (inner) => this.runTransaction(runner, tenantId, inner) });
      } finally {
        await runner.query('select pg_advisory_unlock(hashtextextended($1, 0))', [
          lockName(this.schema, tenantId, name),
        ]);
      }
    } finally {
      await runner.release();
    }
  }

  /** Work across tenants in one transaction under the system role. Never on behalf of a caller. */
  async asSystem<T>(work: (query: SystemQuery) => Promise<T>): Promise<T> {
    const client = await this.systemPool.connect().catch(rethrowTranslated);
    let failure: unknown;
    try {
      await client.query('begin');
      const result = await work(async (text, values = []) => (await client.query(text, [...values])).rows as never);
      await client.query('commit');
      return result;
    } catch (error) {
      failure = error;
      await client.query('rollback').catch(() => undefined);
      throw translateDatabaseError(error);
    } finally {
      client.release(isBroken(failure));
    }
  }

  /** Calls back after every commit that recorded an event. */
  onEmit(listener: () => void): void {
    this.emitListeners.add(listener);
  }

  /** Whether the database answers. */
  async isReachable(): Promise<boolean> {
    await this.systemPool.query('select 1');
    return true;
  }

  async close(): Promise<void> {
    await Promise.all([this.source.destroy(), this.systemPool.end()]);
  }

  private async runTransaction<T>(
    runner: QueryRunner,
    tenantId: number,
    work: (tx: Transaction) => Promise<T>,
  ): Promise<T> {
    try {
      await enterTenant((await runner.connect()) as PoolClient, tenantId);
      await runner.startTransaction();
      const tx = new ActiveTransaction(tenantId, runner.manager, this.schema.schema);
      const result = await work(tx);
      await runner.commitTransaction();
      if (tx.emitted) for (const listener of this.emitListeners) listener();
      return result;
    } catch (error) {
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      throw translateDatabaseError(error);
    }
  }

  private get pool(): Pool {
    return (this.source.driver as unknown as { master: Pool }).master;
  }
}

const startOptions = (role: string, schema: string, statementTimeoutMs: number): string =>
  `-c role=${role} -c search_path=${schema} -c statement_timeout=${statementTimeoutMs}`;

export const lockName = ({ schema }: ServiceSchema, tenantId: number, name: string): string =>
  `${schema}:${tenantId}:${name}`;

/** A connection after an error that the server did not send is not used again. */
const isBroken = (failure: unknown): boolean =>
  failure !== undefined && !/^[0-9A-Z]{5}$/.test((failure as { code?: string }).code ?? '');

function rethrowTranslated(error: unknown): never {
  throw translateDatabaseError(error);
}
