import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { sampleShopModel, sampleShopSql } from '@plinth/sample-shop';
import { own } from '@plinth/streams';
import { createDatabaseFrom, describeDataQueries, type TestDatabase } from '@plinth/testing';
import { Client } from 'pg';
import { EngineUnderTest, tokenFor } from './testing/engine-under-test';

/** The engine's program alone, with the model process behind it, as a runtime starts it. */
describe('an engine', () => {
  let database: TestDatabase;
  let engine: EngineUnderTest;
  let door: Server;
  afterAll(async () => {
    door.close();
    await engine.stop();
    await database.drop();
  });

  describeDataQueries(async () => {
    database = await createDatabaseFrom('sample_shop', fill);
    const model = Object.fromEntries((await sampleShopModel()).map(({ path, content }) => [path, content]));
    engine = await EngineUnderTest.start({ model, database: database.url });
    door = await openDoor(engine.socketPath);
    const apiUrl = `http://127.0.0.1:${(door.address() as AddressInfo).port}/cubejs-api/v1`;
    return { apiUrl, token: await tokenFor({}, '1h'), database: database.url };
  });
});

async function fill(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(await sampleShopSql());
  await client.end();
}

/** A port for clients that do not speak to the socket of an engine. */
async function openDoor(socketPath: string): Promise<Server> {
  const door = createServer((client) => {
    const engine = own(connect(socketPath));
    own(client).pipe(engine).pipe(client);
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  return door;
}
