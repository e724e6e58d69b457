import { createRequire } from 'node:module';

const load = createRequire(__filename);
/** Its SQL is a part of the compiler. */
const BUILT_IN = 'postgres';

/** The SQL of databases whose drivers bring it; for others, the compiler has it. */
export function loadDialects(databases: readonly string[]): Map<string, object> {
  const others = [...new Set(databases)].filter((name) => name !== BUILT_IN);
  return new Map(others.flatMap((name) => dialectOf(name).map((dialect): [string, object] => [name, dialect])));
}

function dialectOf(database: string): object[] {
  const { lookupDriverClass } = load('@cubejs-backend/server-core/dist/src/core/DriverResolvers') as {
    lookupDriverClass(database: string): { dialectClass?(): object };
  };
  try {
    const dialect = lookupDriverClass(database).dialectClass?.();
    return dialect ? [dialect] : [];
  } catch {
    // Some load binaries, which this process may not. Most of their SQL is the compiler's.
    return [];
  }
}
