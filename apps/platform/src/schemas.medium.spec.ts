import { findSchemaDrift, findUnprotectedTables, type ServiceSchema } from '@plinth/database';
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

describe('the schema of a service', () => {
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
