// (a) One authenticated read through gateway and bus, against a bare server that makes the same query.
import { join } from 'node:path';
import autocannon from 'autocannon';
import { createDeployment } from './client.mjs';
import { spentDuring } from './processor-time.mjs';
import {
  adminKey,
  processIdOf,
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

const measure = async ({ url, headers, files }) => {
  const load = () => autocannon({ url, connections, duration: seconds, headers });
  const { result, microseconds } = await spentDuring(files.map(processIdOf), load);
  const { requests, latency, non2xx } = result;
  if (non2xx > 0) throw new Error(`${url} failed ${non2xx} times`);
  return { rate: requests.average, p50: latency.p50, p99: latency.p99, processor: microseconds / requests.total };
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
  const path = `/api/v1/deployments/${id}`;
  const variants = {
    'bare node:http + pg': { url: bare, files: ['tools/bench/bare-server.mjs'] },
    'in process': { url: `${platform}${path}`, headers, files: ['dist/apps/platform/src/platform-process.js'] },
    'on NATS': {
      url: `${services}${path}`,
      headers,
      files: ['gateway', 'control-plane'].map((name) => `dist/apps/${name}/src/main.js`),
    },
  };
  const runs = Object.fromEntries(Object.keys(variants).map((name) => [name, []]));
  for (const variant of Object.values(variants)) await measure(variant);
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, variant] of Object.entries(variants)) runs[name].push(await measure(variant));
  }
  const bareRuns = runs['bare node:http + pg'];
  return Object.entries(runs).map(([variant, list]) => ({
    variant,
    'requests/s': Math.round(median(list, 'rate')),
    'of bare': (median(list, 'rate') / median(bareRuns, 'rate')).toFixed(2),
    'p50 ms': median(list, 'p50'),
    'p99 ms': median(list, 'p99'),
    'processor µs': Math.round(median(list, 'processor')),
    'bare of it': (median(bareRuns, 'processor') / median(list, 'processor')).toFixed(2),
  }));
}
