// (a) One authenticated read through gateway and bus, against a bare server that makes the same query.
import { join } from 'node:path';
import autocannon from 'autocannon';
import { createDeployment } from './client.mjs';
import {
  adminKey,
  root,
  startPlatform,
  startPostgres,
  startProcess,
  startServices,
  temporaryFolder,
} from './processes.mjs';

const rounds = 3;
const seconds = 8;
const connections = 50;

const measure = async (url, headers) => {
  const { requests, latency, non2xx } = await autocannon({ url, connections, duration: seconds, headers });
  if (non2xx > 0) throw new Error(`${url} failed ${non2xx} times`);
  return { rate: requests.average, p50: latency.p50, p99: latency.p99 };
};

const median = (runs, key) => runs.map((run) => run[key]).sort((a, b) => a - b)[Math.floor(runs.length / 2)];

export async function benchReads() {
  const databaseUrl = await startPostgres();
  const storage = temporaryFolder('storage');
  const platform = await startPlatform(databaseUrl, storage);
  const { id } = await createDeployment(platform);
  const services = await startServices(databaseUrl, storage);
  const statement = 'select id, name, creation_step as "creationStep" from control_plane.deployment where id = $1';
  const [, bare] = await startProcess(
    join(root, 'tools/bench/bare-server.mjs'),
    [databaseUrl, statement, String(id)],
    {},
    /ready (http:\S+)/,
  );
  const headers = { authorization: `Bearer ${adminKey}` };
  const variants = {
    'bare node:http + pg': () => measure(bare),
    'in process': () => measure(`${platform}/api/v1/deployments/${id}`, headers),
    'on NATS': () => measure(`${services}/api/v1/deployments/${id}`, headers),
  };
  const runs = Object.fromEntries(Object.keys(variants).map((name) => [name, []]));
  for (const run of Object.values(variants)) await run();
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(variants)) runs[name].push(await run());
  }
  const base = median(runs['bare node:http + pg'], 'rate');
  return Object.entries(runs).map(([variant, list]) => ({
    variant,
    'requests/s': Math.round(median(list, 'rate')),
    'of bare': (median(list, 'rate') / base).toFixed(2),
    'p50 ms': median(list, 'p50'),
    'p99 ms': median(list, 'p99'),
  }));
}
