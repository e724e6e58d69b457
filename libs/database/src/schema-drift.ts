import { DataSource } from 'typeorm';
import { connectionSettings } from './connection-settings';
import { PlinthNamingStrategy } from './naming-strategy';
import { namesOf, type ServiceSchema } from './service-schema';

/** What entities leave to migrations: keys, indexes, checks, defaults, collations, and columns for SQL alone. */
const leftToMigrations =
  /\b(constraint|index|sequence|set default|drop default|comment on|collate|drop column|typeorm_metadata)\b/i;

/** TypeORM asks its own table for what it knows of them. */
const generatedColumns = `create table typeorm_metadata
  (type text, "database" text, "schema" text, "table" text, name text, value text)`;

/**
 * Statements that would bring the tables of a migrated database to the entities: for tables and columns that are missing
 * or of another type. One of another type is dropped and added again.
 *
 * @param url connection string of the owner of a database that nobody needs afterwards.
 */
export async function findSchemaDrift(url: string, { service, entities }: ServiceSchema): Promise<string[]> {
  const { schema } = namesOf(service);
  const { connectionString, ...settings } = connectionSettings(url, { search_path: schema });
  const dataSource = new DataSource({
    type: 'postgres',
    url: connectionString,
    extra: settings,
    schema,
    entities: [...entities] as never[],
    namingStrategy: new PlinthNamingStrategy(),
    installExtensions: false,
  });
  await dataSource.initialize();
  try {
    await dataSource.query(generatedColumns);
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    return upQueries.map(({ query }) => query).filter((query) => !leftToMigrations.test(query));
  } finally {
    await dataSource.destroy();
  }
}
