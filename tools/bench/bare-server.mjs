// The yardstick: node:http and pg alone, answering the query behind GET /api/v1/deployments/{id}.
import { createServer } from 'node:http';
import pg from 'pg';

const [databaseUrl, text, tenantId, id] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 5 });
const server = createServer(async (_request, response) => {
  const { rows } = await pool.query({
    name: 'deployment',
    text,
    values: [tenantId, id].slice(0, countParameters(text)),
  });
  const body = Buffer.from(JSON.stringify(rows[0]));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
});
const countParameters = (statement) => new Set(statement.match(/\$\d+/g)).size;
server.listen(0, '127.0.0.1', () => console.log(`ready http://127.0.0.1:${server.address().port}`));
