import { randomBytes } from 'node:crypto';
import { systemPrincipal } from '@plinth/auth';
import { runInContext } from '@plinth/observability';
import { createTestDatabase, type ServiceDatabase } from '@plinth/testing';
import { Database, findMissingKeys, SecretBox, type ServiceSchema } from '.';
import { NoteRepository, notesSchema } from './testing/notes-fixture';

const newBox = (...keys: string[]): SecretBox => new SecretBox(keys);
const newKey = (): string => randomBytes(32).toString('base64');
const schema: ServiceSchema = notesSchema;

describe('keys and data belong together', () => {
  let server: ServiceDatabase;

  beforeEach(async () => {
    server = await createTestDatabase(schema);
  });
  afterEach(() => server.drop());

  const opened = async (secrets: SecretBox, work: (database: Database) => Promise<unknown> = async () => undefined) => {
    const database = await Database.open({ ...schema, url: server.url, secrets, migrate: 'none' });
    await work(database).finally(() => database.close());
  };
  /** A reply is kept, and sealed. */
  const sealSomething = (database: Database) =>
    runInContext({ requestId: 'r', idempotency: { operationId: 'addNote', key: 'k', fingerprint: 'f' } }, () =>
      database.mutate(systemPrincipal(1), async (tx) => {
        await new NoteRepository().add(tx, 'a');
        return {};
      }),
    );
  const missingFor = (secrets: SecretBox) => findMissingKeys(server.url, [schema.service, 'workspace'], secrets);

  it('a database is not opened without a key that something is sealed under, and the key and the place are named', async () => {
    const [first, second] = [newKey(), newKey()];
    await opened(newBox(first), sealSomething);
    const keyId = newBox(first).keyIds[0] ?? '';
    const places = ['control_plane.idempotency_record.reply'];
    await expect(opened(newBox(second))).rejects.toMatchObject({ missing: [{ keyId, places }] });
    await expect(opened(newBox(second))).rejects.toThrow(`key ${keyId} of ${places[0]}`);
    await expect(opened(newBox(second))).rejects.not.toThrow(first);
    expect(await missingFor(newBox(second))).toEqual([{ keyId, places }]);
    await opened(newBox(second, first));
    expect(await missingFor(newBox(second, first))).toEqual([]);
  });

  it('a key under which nothing is left may go, and is missed again when something turns up', async () => {
    const [first, second] = [newKey(), newKey()];
    await opened(newBox(first));
    await opened(newBox(second));
    await opened(newBox(first), sealSomething);
    await expect(opened(newBox(second))).rejects.toThrow('no configured key opens');
  });

  it('secrets from before keys were noted are found', async () => {
    const first = newKey();
    await opened(newBox(first), sealSomething);
    await server.database.readAsSystem({ name: 'forget-keys', text: 'delete from encryption_key' });
    await expect(opened(newBox(newKey()))).rejects.toThrow('no configured key opens');
    await opened(newBox(first));
  });

  it('a service without a schema misses no key', async () => {
    expect(await findMissingKeys(server.url, ['gateway', 'scim'], newBox(newKey()))).toEqual([]);
  });
});
