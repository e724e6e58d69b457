import type { Principal } from '@plinth/auth';
import type { Logger } from '@plinth/observability';
import type { EventConsumer } from '@plinth/messaging';
import type { QueryRunner } from 'typeorm';
import { ConnectionPool } from './connection-pool';
import type { NamedStatement } from './named-statement';
import { currentClaim, type Claim } from './idempotency';
import { requireKeys } from './key-check';
import { mutate, mutateInSteps, type Step } from './mutation';
import { provision, type MigrationPhase } from './provision';
import type { Reader } from './reader';
import type { SecretBox } from './secret-box';
import { namesOf, type ServiceNames, type ServiceSchema } from './service-schema';
import { Session } from './session';
import { inTransaction, managerFor, type Commit, type Transaction } from './transaction';

export interface DatabaseOptions extends ServiceSchema {
  /** Connection string of the owner, who may create schemas and roles. */
  url: string;
  /** Seals stored replies. */
  secrets: SecretBox;
  /** Connections for ordinary work; work across tenants has a few of its own. */
  poolSize?: number;
  statementTimeoutMs?: number;
  /** Which migrations to run first; `none` when they were run by hand. */
  migrate?: MigrationPhase | 'none';
  logger?: Logger;
}

/** An event as it reaches a consumer. */
export interface DeliveredEvent {
  eventId: string;
  tenantId: number;
}

const SYSTEM_CONNECTIONS = 4;

/**
 * A service's own schema in PostgreSQL. Ordinary work runs under a role that row-level security confines to the
 * tenant of the call; `asSystem` is the one way across tenants.
 *
 * Errors: AppError `service.unavailable` when the server cannot be reached, `service.collision` when other work was in the way,
 * `service.deadline_exceeded` when a statement took too long, `UniqueViolation` for a taken unique value.
 */
export class Database {
  private readonly listeners = new Set<(consumers: ReadonlySet<EventConsumer>) => void>();

  private constructor(
    readonly names: ServiceNames,
    private readonly secrets: SecretBox,
    private readonly tenantPool: ConnectionPool,
    private readonly systemPool: ConnectionPool,
    private readonly logger: Logger | undefined,
  ) {}

  /** @throws MissingKeysError when secrets in it are sealed under a key that is not configured */
  static async open(options: DatabaseOptions): Promise<Database> {
    const { url, service, entities, secrets, migrate = 'all', poolSize = 10 } = options;
    const names = namesOf(service);
    if (migrate !== 'none') await provision(url, options, migrate);
    const shared = {
      url,
      entities,
      schema: names.schema,
      statementTimeoutMs: options.statementTimeoutMs ?? 30_000,
      onConnectionError: (error: Error) => options.logger?.warn({ err: error }, 'a database connection was lost'),
    };
    const systemPool = await ConnectionPool.open({
      ...shared,
      role: names.systemRole,
      size: Math.min(poolSize, SYSTEM_CONNECTIONS),
    });
    try {
      await systemPool.connection((queryRunner) =>
        inTransaction(
          queryRunner,
          null,
          (tx) => requireKeys((text, values) => managerFor(tx).query(text, values && [...values]), names, secrets),
          { afterCommit: () => undefined },
        ),
      );
      const tenantPool = await ConnectionPool.open({ ...shared, role: names.role, size: poolSize });
      return new Database(names, secrets, tenantPool, systemPool, options.logger);
    } catch (error) {
      await systemPool.close();
      throw error;
    }
  }

  /** Rows of a prepared plain SELECT for one tenant; the way for hot reads, which share a connection. */
  read<Row>(tenantId: number, statement: NamedStatement, values: readonly unknown[] = []): Promise<Row[]> {
    return this.tenantPool.read<Row>(tenantId, statement, values);
  }

  /**
   * For operations that only read one tenant: plain SELECTs, each a transaction of its own, which share connections with those of
   * others. They cost half of what they do in a transaction, and see what one would show them.
   *
   * @param what `few rows` that are found by their keys, or `lists` that may take the server some milliseconds.
   */
  reader(tenantId: number, what: 'few rows' | 'lists'): Reader {
    return this.tenantPool.reader(tenantId, what);
  }

  /** Rows of any other prepared statement for one tenant, for what changes or locks a row and needs nothing else. */
  run<Row>(tenantId: number, statement: NamedStatement, values: readonly unknown[] = []): Promise<Row[]> {
    return this.tenantPool.run<Row>(tenantId, statement, values);
  }

  /** Rows of a prepared statement across tenants, for what must be known before the tenant is. */
  readAsSystem<Row>(statement: NamedStatement, values: readonly unknown[] = []): Promise<Row[]> {
    return this.systemPool.run<Row>(null, statement, values);
  }

  /** Work for one tenant that commits or leaves nothing. */
  transaction<T>(tenantId: number, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.tenantPool.connection((queryRunner) => this.commit(queryRunner, tenantId, work));
  }

  /** Background work across tenants. */
  asSystem<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.systemPool.connection((queryRunner) => this.commit(queryRunner, null, work));
  }

  /**
   * The one way in which operations write: effect, audit event and idempotency record in one transaction.
   *
   * @throws AppError `idempotency.in_progress` (409), `idempotency.key_reused` (422).
   */
  mutate<Reply>(principal: Principal, work: (tx: Transaction) => Promise<Reply>): Promise<Reply> {
    return this.tenantPool.connection((queryRunner) =>
      mutate(queryRunner, principal, work, {
        schema: this.names.schema,
        secrets: this.secrets,
        onCommit: this.announce,
      }),
    );
  }

  /**
   * As {@link mutate} for work in several transactions, each of which `step` runs: what one has committed stays when a later
   * one fails. Audit event and idempotency record come with the last, so a repeat after a crash does the work again, and
   * must bear that.
   */
  mutateInSteps<Reply>(principal: Principal, work: (step: Step) => Promise<Reply>): Promise<Reply> {
    const claim = this.claimOf(principal);
    return this.session(principal.tenantId, (session) => mutateInSteps(session, { principal, claim, work }));
  }

  /** One connection for work that takes several transactions, for one tenant, or across tenants. */
  session<T>(tenantId: number | null, work: (session: Session) => Promise<T>): Promise<T> {
    const pool = tenantId === null ? this.systemPool : this.tenantPool;
    const environment = { secrets: this.secrets, onCommit: this.announce };
    return pool.session(tenantId, (queryRunner) => work(new Session(queryRunner, tenantId, environment)));
  }

  /** The idempotency key of the request being served; undefined when its client sent none. `mutate` sees to it itself. */
  claimOf(principal: Principal): Claim | undefined {
    return currentClaim(principal, this.names.schema);
  }

  /**
   * Applies an event that may be delivered more than once. Returns whether this was the first time; a repeat that
   * arrives meanwhile waits for the first to commit.
   */
  async applyOnce(event: DeliveredEvent, work: (tx: Transaction) => Promise<void>): Promise<boolean> {
    return (await this.applyAllOnce(event.tenantId, [event], work)) === 1;
  }

  /**
   * As {@link applyOnce} for events of one tenant at once: `work` gets those that come for the first time, in their
   * order, unless there is none. Returns their number.
   */
  applyAllOnce<Event extends Pick<DeliveredEvent, 'eventId'>>(
    tenantId: number,
    events: readonly Event[],
    work: (tx: Transaction, fresh: readonly Event[]) => Promise<void>,
  ): Promise<number> {
    return this.transaction(tenantId, async (tx) => {
      // In an order that all deliveries have, so that none waits for one that waits for it.
      const rows = await managerFor(tx).query<{ eventId: string }[]>(
        `insert into inbox (event_id, tenant_id) select id, $2 from unnest($1::uuid[]) id order by id
         on conflict do nothing returning event_id as "eventId"`,
        [events.map(({ eventId }) => eventId), tenantId],
      );
      const fresh = new Set(rows.map(({ eventId }) => eventId));
      // An event that is named twice is applied once.
      const first = events.filter(({ eventId }) => fresh.delete(eventId.toLowerCase()));
      if (first.length > 0) await work(tx, first);
      return first.length;
    });
  }

  /**
   * Calls the listener whenever a commit has put events into the outbox, with their consumers. Returns the function that
   * ends that.
   */
  onEvents(listener: (consumers: ReadonlySet<EventConsumer>) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Whether the server answers; for readiness checks. */
  async isReachable(): Promise<boolean> {
    await this.readAsSystem({ name: 'is-reachable', text: 'select 1' });
    return true;
  }

  async close(): Promise<void> {
    await Promise.all([this.tenantPool.close(), this.systemPool.close()]);
  }

  private commit<T>(
    queryRunner: QueryRunner,
    tenantId: number | null,
    work: (tx: Transaction) => Promise<T>,
  ): Promise<T> {
    return inTransaction(queryRunner, tenantId, work, { afterCommit: this.announce });
  }

  /** Whoever has committed must not fail because others cannot hear of it. */
  private readonly announce = ({ listeners, consumers }: Commit): void => {
    const interested = consumers.size > 0 ? [...this.listeners] : [];
    for (const tell of [...listeners, ...interested.map((listener) => () => listener(consumers))]) {
      try {
        tell();
      } catch (error) {
        this.logger?.error({ err: error }, 'a listener of a commit failed');
      }
    }
  };
}
