// (g) Creating user groups over HTTP, against a bare server that makes the same two rows in one transaction.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import autocannon from 'autocannon';
import pg from 'pg';
import { spentDuring } from './processor-time.mjs';
import {
  adminKey,
  databasePoolSize,
  processIdOf,
  root,
  runOperator,
  startPlatform,
  startPostgres,
  startProcess,
  startServices,
  temporaryFolder,
} from './processes.mjs';

const rounds = 3;
const seconds = 4;
const clients = [1, 4, 20, 100];
const path = '/api/v1/user-groups';

const newGroup = (request) => ({ ...request, body: JSON.stringify({ name: `Group ${randomUUID()}` }) });
const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };

async function load({ url }, connections, duration) {
  const requests = [{ method: 'POST', path, headers, setupRequest: newGroup }];
  const { '2xx': created, non2xx, latency, ...rest } = await autocannon({ url, connections, duration, requests });
  if (non2xx > 0) throw new Error(`${url} failed ${non2xx} times`);
  return { created, rate: created / rest.duration, p50: latency.p50, p99: latency.p99 };
}

/** Milliseconds until no event of the database waits for the audit log any more. */
async function drain({ database }) {
  const start = performance.now();
  const waiting = async () =>
    (await database.query('select exists (select from control_plane.outbox) as waiting')).rows[0].waiting;
  while (await waiting()) await new Promise((resolve) => setTimeout(resolve, 20));
  return performance.now() - start;
}

/** Runs what an operator would, and compares with the groups that there are. */
async function verify({ databaseUrl, database }) {
  const [verdict] = await runOperator(databaseUrl, ['audit', 'verify', '--tenant', 'local']);
  const { rows } = await database.query(
    `select (select count(*)::int from control_plane.user_group) as groups,
       (select count(*)::int from control_plane.audit_event where event = 'Created user group') as recorded`,
  );
  const [{ groups, recorded }] = rows;
  if (verdict.broken || groups !== recorded) throw new Error(`${groups} groups, ${recorded} recorded, ${verdict}`);
  return `${recorded}, intact`;
}

/** A database of its own on the server, so that no outbox is emptied by two. */
async function newDatabase(serverUrl, name) {
  const server = new pg.Client({ connectionString: serverUrl });
  await server.connect();
  await server.query(`create database ${name}`);
  await server.end();
  const url = new URL(serverUrl);
  url.pathname = name;
  return url.href;
}

async function startVariants() {
  const server = await startPostgres();
  const [one, many] = [await newDatabase(server, 'one_process'), await newDatabase(server, 'on_nats')];
  const platform = await startPlatform(one, temporaryFolder('storage'));
  const services = await startServices(many, temporaryFolder('storage'));
  const [, bare] = await startProcess(
    join(root, 'tools/bench/bare-create-server.mjs'),
    [one, databasePoolSize],
    {},
    /ready (http:\S+)/,
  );
  const connect = (databaseUrl) => ({ databaseUrl, database: new pg.Pool({ connectionString: databaseUrl, max: 1 }) });
  return {
    'bare node:http + pg': { url: bare, files: ['tools/bench/bare-create-server.mjs'] },
    'in process': { url: platform, files: ['dist/apps/platform/src/platform-process.js'], ...connect(one) },
    'on NATS': {
      url: services,
      files: ['gateway', 'control-plane'].map((name) => `dist/apps/${name}/src/main.js`),
      ...connect(many),
    },
  };
}

const median = (runs, key) => runs.map((run) => run[key]).sort((a, b) => a - b)[Math.floor(runs.length / 2)];

/** One load, and all that is left to do after it. */
async function measureOnce(variant, connections) {
  const { result, microseconds } = await spentDuring(variant.files.map(processIdOf), async () => {
    const run = await load(variant, connections, seconds);
    return { ...run, drained: variant.database ? await drain(variant) : 0 };
  });
  return { ...result, processor: microseconds / result.created };
}

async function measure(variants, connections) {
  const runs = Object.fromEntries(Object.keys(variants).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, variant] of Object.entries(variants)) {
      runs[name].push(await measureOnce(variant, connections));
    }
  }
  return runs;
}

export async function benchCreates() {
  const variants = await startVariants();
  for (const variant of Object.values(variants)) await load(variant, 20, seconds);
  const table = [];
  for (const connections of clients) {
    const runs = await measure(variants, connections);
    const bareRuns = runs['bare node:http + pg'];
    for (const [variant, list] of Object.entries(runs)) {
      table.push({
        clients: connections,
        variant,
        'creates/s': Math.round(median(list, 'rate')),
        'of bare': (median(list, 'rate') / median(bareRuns, 'rate')).toFixed(2),
        'p50 ms': median(list, 'p50'),
        'p99 ms': median(list, 'p99'),
        'processor µs': Math.round(median(list, 'processor')),
        'bare of it': (median(bareRuns, 'processor') / median(list, 'processor')).toFixed(2),
        'outbox empty after ms': Math.round(median(list, 'drained')),
      });
    }
  }
  for (const [name, variant] of Object.entries(variants)) {
    if (!variant.database) continue;
    await drain(variant);
    console.log(`audit log ${name}: ${await verify(variant)}`);
    await variant.database.end();
  }
  return table;
}
