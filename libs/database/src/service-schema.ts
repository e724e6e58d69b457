import type { ServiceName } from '@plinth/contract';
import type { EntityTarget, MigrationInterface, ObjectLiteral } from 'typeorm';

export type MigrationClass = new () => MigrationInterface;

/** Rows that have served their time and are deleted, a bounded number at once. */
export interface RetentionRule {
  table: string;
  /** SQL condition on a row that may go, for example `expires_at < now()`; serve it by an index. */
  expired: string;
}

/** What one service keeps in PostgreSQL. Each service exports one of these. */
export interface ServiceSchema {
  service: ServiceName;
  entities: readonly EntityTarget<ObjectLiteral>[];
  migrations: {
    /** Only what the running version also understands: new tables, new nullable columns (expand). */
    preDeploy: readonly MigrationClass[];
    /** What may happen once no old version runs: drops, constraints, back-fills (contract). */
    postDeploy: readonly MigrationClass[];
  };
  /** Extensions of PostgreSQL, in the schema `public`, that are there before the migrations run. */
  extensions?: readonly string[];
  /** What housekeeping deletes, beside the shared tables. */
  retention?: readonly RetentionRule[];
  /** Statements that housekeeping runs at the start and regularly; several replicas may run them at once. */
  upkeep?: readonly string[];
}

/** Names in PostgreSQL that belong to a service. */
export interface ServiceNames {
  schema: string;
  /** Role of all work for a tenant; row-level security confines it to that tenant. */
  role: string;
  /** Role of work across tenants: relays, claims of jobs, looking up the tenant itself. */
  systemRole: string;
}

export function namesOf(service: ServiceName): ServiceNames {
  const schema = service.replaceAll('-', '_');
  return { schema, role: `plinth_${schema}`, systemRole: `plinth_${schema}_system` };
}
