import { provision } from '../provision';
import type { MigrationClass, ServiceSchema } from '../service-schema';
import { sharedMigrations } from '../shared-migrations';

/** An archive was made by a release whose migrations this one does not have. */
export class UnknownMigrationsError extends Error {
  override readonly name = 'UnknownMigrationsError';

  constructor(readonly unknown: readonly string[]) {
    super(`This release does not know the migrations ${unknown.join(', ')}`);
  }
}

const nameOf = (migration: MigrationClass): string => new migration().name ?? migration.name;

/**
 * As `provision`, with no other migrations of the service than those named, for rows of an earlier release: what came later runs
 * over them when the service starts. Those of shared tables run all, and have rows of any release.
 *
 * @throws UnknownMigrationsError before anything is changed
 */
export async function provisionUpTo(url: string, schema: ServiceSchema, names: readonly string[]): Promise<void> {
  const wanted = new Set(names);
  const { preDeploy, postDeploy } = schema.migrations;
  requireKnown(schema, names);
  const among = (migrations: readonly MigrationClass[]) => migrations.filter((each) => wanted.has(nameOf(each)));
  await provision(url, { ...schema, migrations: { preDeploy: among(preDeploy), postDeploy: among(postDeploy) } });
}

/** @throws UnknownMigrationsError */
export function requireKnown({ migrations }: ServiceSchema, names: readonly string[]): void {
  const known = new Set([...sharedMigrations, ...migrations.preDeploy, ...migrations.postDeploy].map(nameOf));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0) throw new UnknownMigrationsError(unknown);
}
