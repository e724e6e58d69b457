// The yardstick: node:http and pg alone, making the two rows of a user group and its event in one transaction.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import pg from 'pg';

const [databaseUrl, poolSize] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: databaseUrl, max: Number(poolSize) });
await pool.query(`
  create schema bare;
  create table bare.user_group (like control_plane.user_group including all);
  create table bare.outbox (like control_plane.outbox including all)`);

const insertGroup = {
  name: 'group',
  text: 'insert into bare.user_group (tenant_id, name) values (1, $1) returning id, name, description',
};
const insertEvent = {
  name: 'event',
  text: "insert into bare.outbox (event_id, consumer, tenant_id, type, payload) values ($1, 'bare', 1, 'created', $2)",
};

async function create({ name }) {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query({ ...insertGroup, values: [name] });
    await client.query({ ...insertEvent, values: [randomUUID(), JSON.stringify({ event: 'Created group', name })] });
    await client.query('commit');
    return rows[0];
  } finally {
    client.release();
  }
}

const server = createServer(async (request, response) => {
  const body = Buffer.from(JSON.stringify(await create(await json(request))));
  response.writeHead(201, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
});
server.listen(0, '127.0.0.1', () => console.log(`ready http://127.0.0.1:${server.address().port}`));
