// (h) Queries of a data API, cached and not, against the bare engine's program and raw SQL; memory of engines.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import autocannon from 'autocannon';
import { percentile } from './client.mjs';
import { BareEngine } from './data-engine.mjs';
import { residentMbOf } from './memory.mjs';
import { spentDuring } from './processor-time.mjs';
import { awake, createDatabase, createShop, openShop } from './data-shop.mjs';
import {
  dist,
  processesBelow,
  processIdOf,
  programsBelow,
  root,
  startPlatform,
  startPostgres,
  startProcess,
  startServices,
  temporaryFolder,
} from './processes.mjs';

const quick = process.argv.includes('--quick');
const rounds = quick ? 1 : 3;
const seconds = quick ? 3 : 8;
const amount = quick ? 50 : 300;
const connections = 16;
const sleeping = 20;
const awakeCount = 10;

const services = ['gateway', 'control-plane', 'build-worker', 'runtime'];
const statement =
  'select status as "orders.status", count(*) as "orders.count" from orders group by 1 order by 2 desc limit 10000';
const cached = () => ({ measures: ['orders.count'], dimensions: ['orders.status'] });
let marks = 0;
/** The same work for the database, and no result of it is there yet. */
const uncached = () => ({
  ...cached(),
  filters: [{ member: 'orders.id', operator: 'gt', values: [String(-(marks += 1))] }],
});

/** What autocannon sends; every request is made anew, since queries that shall not be cached differ. */
async function target({ url, path, socketPath, token }, query) {
  const authorization = await token?.();
  const setupRequest = (given) => ({
    ...given,
    method: 'POST',
    body: JSON.stringify({ query: query() }),
    headers: { ...given.headers, ...(authorization && { authorization }), 'content-type': 'application/json' },
  });
  return { url: `${url}${path ?? ''}`, socketPath, requests: [{ setupRequest }] };
}

async function measure(variant, query) {
  const sent = await target(variant, query);
  const load = () => autocannon({ ...sent, connections, duration: seconds });
  const { result, microseconds } = await spentDuring(
    variant.roots().flatMap((pid) => processesBelow(pid).map((each) => each.pid)),
    load,
  );
  if (result.non2xx > 0) throw new Error(`${sent.url} failed: ${JSON.stringify(result.statusCodeStats)}`);
  return { rate: result.requests.average, p50: result.latency.p50, processor: microseconds / result.requests.total };
}

/** Median milliseconds of one request after the other: what the way adds to each. */
async function alone({ url, path, socketPath, token }, query) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const authorization = await token?.();
  const headers = { ...(authorization && { authorization }), 'content-type': 'application/json' };
  const times = [];
  for (let count = 0; count < amount; count += 1) {
    const began = performance.now();
    const call = request(`${url}${path ?? ''}`, { method: 'POST', socketPath, agent, headers });
    call.end(JSON.stringify({ query: query() }));
    const [response] = await once(call, 'response');
    await text(response);
    times.push(performance.now() - began);
  }
  agent.destroy();
  return percentile(times, 0.5);
}

const median = (runs, key) => runs.map((run) => run[key]).sort((a, b) => a - b)[Math.floor(runs.length / 2)];
const load = '/cubejs-api/v1/load';

export async function benchData() {
  const databaseUrl = await startPostgres();
  const shop = await createShop(databaseUrl);
  const { sampleShopModel } = dist('libs/sample-shop/src');
  const model = await sampleShopModel();
  const engine = await BareEngine.start(shop, model);
  const [, bare] = await startProcess(
    join(root, 'tools/bench/bare-server.mjs'),
    [shop, statement],
    {},
    /ready (http:\S+)/,
  );
  const platform = await startPlatform(databaseUrl, temporaryFolder('storage'));
  // Of their own: no two build workers that cannot hear each other share a deployment.
  const others = await createDatabase(databaseUrl, 'bench_services');
  const gateway = await startServices(others, temporaryFolder('other-storage'), services.slice(1));
  const here = await openShop(platform, shop, model);
  const there = await openShop(gateway, shop, model);
  const variants = {
    'raw SQL': { url: bare, roots: () => [processIdOf('tools/bench/bare-server.mjs')] },
    'bare engine': {
      url: 'http://localhost',
      path: load,
      socketPath: engine.socketPath,
      token: () => engine.token(),
      roots: () => [engine.pid],
    },
    'in process': {
      url: platform,
      path: `${here.path}${load}`,
      token: () => here.token,
      roots: () => [processIdOf('dist/apps/platform/src/platform-process.js')],
    },
    'on NATS': {
      url: gateway,
      path: `${there.path}${load}`,
      token: () => there.token,
      roots: () => services.map((name) => processIdOf(`dist/apps/${name}/src/main.js`)),
    },
  };
  await awake(`${platform}${here.path}`, here.token);
  await awake(`${gateway}${there.path}`, there.token);
  const rows = [];
  for (const [kind, query] of Object.entries({ cached, uncached })) {
    const runs = Object.fromEntries(Object.keys(variants).map((name) => [name, []]));
    for (let round = 0; round <= rounds; round += 1) {
      for (const [name, variant] of Object.entries(variants)) {
        const run = { ...(await measure(variant, query)), alone: await alone(variant, query) };
        // The first round warms up.
        if (round > 0) runs[name].push(run);
      }
    }
    rows.push(...Object.entries(runs).map(([name, list]) => rowOf(kind, name, list, runs['bare engine'])));
  }
  console.table(rows);
  return memoryOf(platform, shop, model);
}

const rowOf = (kind, variant, list, engineRuns) => ({
  query: kind,
  variant,
  'requests/s': Math.round(median(list, 'rate')),
  'of engine': (median(list, 'rate') / median(engineRuns, 'rate')).toFixed(2),
  'p50 ms': median(list, 'p50'),
  'alone p50 ms': median(list, 'alone').toFixed(2),
  'more than engine ms': (median(list, 'alone') - median(engineRuns, 'alone')).toFixed(2),
  'processor µs': Math.round(median(list, 'processor')),
});

/** What deployments take that nobody asks, and what those take that answer. */
async function memoryOf(platform, shop, model) {
  const pid = processIdOf('dist/apps/platform/src/platform-process.js');
  const engines = () => programsBelow(pid, 'libs/engine/src/');
  const before = { process: residentMbOf([pid]), engines: residentMbOf(engines()) };
  const opened = [];
  for (let count = 0; count < sleeping; count += 1) opened.push(await openShop(platform, shop, model));
  const asleep = { process: residentMbOf([pid]), engines: residentMbOf(engines()) };
  for (const { path, token } of opened.slice(0, awakeCount)) await awake(`${platform}${path}`, token);
  const now = { process: residentMbOf([pid]), engines: residentMbOf(engines()) };
  const row = (what, count, from, to) => ({
    deployments: what,
    'platform MiB': Math.round(to.process - from.process),
    'engines MiB': Math.round(to.engines - from.engines),
    'engines MiB each': Math.round((to.engines - from.engines) / count),
  });
  return [
    row(`${sleeping} that sleep`, sleeping, before, asleep),
    row(`${awakeCount} that are awake`, awakeCount, asleep, now),
  ];
}
