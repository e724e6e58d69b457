import { createHash } from 'node:crypto';
import { Database, SecretBox, sharedMigrations, type ServiceSchema } from '@plinth/database';
import { createDatabaseFrom, type TestDatabase } from './test-database';

export interface ServiceDatabase extends TestDatabase {
  database: Database;
  secrets: SecretBox;
}

/** Templates have it noted: whoever opens a copy with it, or with it among others, looks through no secrets. */
export const testEncryptionKey = createHash('sha256').update('a key for tests').digest('base64');

/** Brings the schema up to date and notes {@link testEncryptionKey} in it. */
export async function provisionTemplate(url: string, schema: ServiceSchema): Promise<void> {
  const database = await Database.open({ ...schema, url, secrets: new SecretBox([testEncryptionKey]) });
  await database.close();
}

/** An opened database with the service's schema: migrated once per test run, a copy of its own for every caller. */
export async function createTestDatabase(
  schema: ServiceSchema,
  options: { poolSize?: number; statementTimeoutMs?: number } = {},
): Promise<ServiceDatabase> {
  const { url, drop } = await createDatabaseFrom(templateOf(schema), (template) => provisionTemplate(template, schema));
  const secrets = new SecretBox([testEncryptionKey]);
  const database = await Database.open({ ...schema, ...options, url, secrets, migrate: 'none' });
  return {
    url,
    database,
    secrets,
    drop: async () => {
      await database.close();
      await drop();
    },
  };
}

/** Another name whenever a migration changes. */
function templateOf({ service, migrations: { preDeploy, postDeploy } }: ServiceSchema): string {
  const sources = [...sharedMigrations, ...preDeploy, ...postDeploy].map(String);
  const digest = createHash('sha256').update(JSON.stringify(sources)).digest('hex').slice(0, 16);
  return `${service.replaceAll('-', '_')}_${digest}`;
}
