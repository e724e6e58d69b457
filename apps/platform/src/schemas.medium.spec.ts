import { findSchemaDrift, findUnprotectedTables, isOfTenants, tablesOf, type ServiceSchema } from '@plinth/database';
import { withOwner } from './backup/owner-connection';
import { createTestDatabase } from '@plinth/testing';
import { agentsSchema } from '../../agents/src';
import { buildWorkerSchema } from '../../build-worker/src';
import { controlPlaneSchema } from '../../control-plane/src';
import { embedSchema } from '../../embed/src';
import { runtimeSchema } from '../../runtime/src';
import { workspaceSchema } from '../../workspace/src';

const schemas: [string, ServiceSchema][] = [
  controlPlaneSchema,
  buildWorkerSchema,
  runtimeSchema,
  workspaceSchema,
  embedSchema,
  agentsSchema,
].map((schema) => [schema.service, schema]);

/** What outlives a tenant; a table that is added here holds nothing that only a tenant could mind. */
const sharedTables: Record<string, string[]> = {
  'control-plane': ['encryption_key', 'failed_attempt', 'tenant_deletion'],
  'build-worker': ['encryption_key', 'github_delivery'],
};

describe('the schema of a service', () => {
  it.each(schemas)('of %s has only known tables that are not deleted with their tenant', async (name, schema) => {
    const { url, drop } = await createTestDatabase(schema);
    try {
      const tables = await withOwner(url, (client) => tablesOf(client, schema.service));
      const kept = tables.filter((table) => !isOfTenants(table)).map((table) => table.name);
      expect(kept.sort()).toEqual(sharedTables[name] ?? ['encryption_key']);
    } finally {
      await drop();
    }
  });

  it.each(schemas)('of %s has the table of the git journal only where git is written to', async (name, schema) => {
    const { database, drop } = await createTestDatabase(schema);
    try {
      const text = "select to_regclass('intent') is not null as has";
      expect(await database.readAsSystem({ name: 'intents', text })).toEqual([{ has: name === 'build-worker' }]);
    } finally {
      await drop();
    }
  });

  it.each(schemas)('of %s has no table that row-level security does not confine to a tenant', async (_name, schema) => {
    const { database, drop } = await createTestDatabase(schema);
    try {
      expect(await findUnprotectedTables(database)).toEqual([]);
    } finally {
      await drop();
    }
  });

  it.each(schemas)('of %s has after its migrations the tables and columns of its entities', async (_name, schema) => {
    const { url, drop } = await createTestDatabase(schema);
    try {
      expect(await findSchemaDrift(url, schema)).toEqual([]);
    } finally {
      await drop();
    }
  });
});
