import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { type ChildProcess } from 'node:child_process';
import { SignJWT } from 'jose';
import { sampleShopModel, sampleShopSql } from '@plinth/sample-shop';
import { spawnOwned } from '@plinth/streams';
import { createDatabaseFrom, describeDataQueries, type TestDatabase } from '@plinth/testing';
import { Client } from 'pg';

const SECRET = 'a secret of thirty-two characters';
const register = resolve(__dirname, '../../../tools/jest/register-typescript.js');

/** The published engine over the stand-in, in one process. */
describe('the engine over the stand-in', () => {
  let database: TestDatabase;
  let engine: ChildProcess;
  afterAll(async () => {
    engine.kill('SIGKILL');
    await once(engine, 'close');
    await database.drop();
  });

  describeDataQueries(async () => {
    database = await createDatabaseFrom('sample_shop', fill);
    engine = await start(database.url);
    const [port] = (await once(engine, 'message')) as [number];
    const token = await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1h')
      .sign(Buffer.from(SECRET));
    return { apiUrl: `http://127.0.0.1:${port}/cubejs-api/v1`, token, database: database.url };
  });
});

async function fill(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(await sampleShopSql());
  await client.end();
}

async function start(databaseUrl: string): Promise<ChildProcess> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const order = { model: await sampleShopModel(), secret: SECRET };
  return spawnOwned(
    process.execPath,
    ['-r', register, join(__dirname, 'testing/plain-engine.ts'), JSON.stringify(order)],
    {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: {
        NODE_ENV: 'production',
        CUBEJS_TELEMETRY: 'false',
        CUBEJS_TESSERACT_SQL_PLANNER: 'false',
        CUBEJS_CACHE_AND_QUEUE_DRIVER: 'memory',
        CUBEJS_EXTERNAL_DEFAULT: 'false',
        CUBEJS_DB_TYPE: 'postgres',
        CUBEJS_DB_HOST: hostname,
        CUBEJS_DB_PORT: port,
        CUBEJS_DB_USER: username,
        CUBEJS_DB_PASS: decodeURIComponent(password),
        CUBEJS_DB_NAME: pathname.slice(1),
      },
    },
  );
}
