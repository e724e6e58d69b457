import { createRequire } from 'node:module';
import driverPackages from '@cubejs-backend/server-core/dist/src/core/DriverDependencies';

/** They read files of the machine, or run programs on it. */
const REFUSED: Readonly<Record<string, string>> = {
  duckdb: 'it reads files of the machine',
  sqlite: 'it reads files of the machine',
  jdbc: 'it runs programs on the machine',
  'databricks-jdbc': 'it runs programs on the machine',
  cubestore: 'Cube Store is not part of this installation',
};

/** The kinds of the databases cannot be served; says why. */
export class DriverUnavailable extends Error {
  override readonly name = 'DriverUnavailable';
}

/** @throws DriverUnavailable with a sentence for whoever has set the variables */
export function requireDrivers(databases: Readonly<Record<string, string>>): void {
  if (Object.keys(databases).length === 0)
    throw new DriverUnavailable('No database: the environment variable CUBEJS_DB_TYPE is not set');
  for (const type of new Set(Object.values(databases))) requireDriver(type);
}

/** @throws DriverUnavailable, naming the package that is missing */
export function requireDriver(type: string): void {
  const reason = REFUSED[type];
  if (reason !== undefined) throw new DriverUnavailable(`Databases of type ${type} are not served here: ${reason}`);
  if (!/^[a-z][a-z0-9_-]*$/.test(type)) throw new DriverUnavailable('CUBEJS_DB_TYPE is no type of a database');
  const known: Readonly<Record<string, string>> = driverPackages;
  const name = known[type] ?? `@cubejs-backend/${type}-driver`;
  if (!isInstalled(name))
    throw new DriverUnavailable(`Databases of type ${type} need the package ${name}, which is not installed`);
}

/** From where the engine would load it. */
function isInstalled(name: string): boolean {
  try {
    createRequire(require.resolve('@cubejs-backend/server-core')).resolve(name);
    return true;
  } catch {
    return false;
  }
}
