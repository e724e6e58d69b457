// (k) Sessions of a host application over HTTP: made by its server, exchanged by a frame.
import autocannon from 'autocannon';
import { createDeployment, send } from './client.mjs';
import { spentDuring } from './processor-time.mjs';
import { adminKey, processIdOf, startPlatform, startPostgres, startServices, temporaryFolder } from './processes.mjs';

const rounds = 3;
const seconds = 4;
const clients = [1, 4, 20];
const users = 200;

const host = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };

/** Each client makes a session as a host application would for a user who comes back, and opens it. */
function requests(deploymentId) {
  const session = () => ({
    deploymentId,
    externalId: `user-${Math.floor(Math.random() * users)}`,
    embedTenantName: 'acme',
    userAttributes: [{ name: 'region', value: 'EU' }],
    securityContext: { plant: 7 },
    settings: { locale: 'de' },
  });
  return [
    {
      method: 'POST',
      path: '/api/v1/embed/generate-session',
      headers: host,
      setupRequest: (request) => ({ ...request, body: JSON.stringify(session()) }),
      onResponse: (status, body, context) => (context.body = status === 200 ? body : undefined),
    },
    {
      method: 'POST',
      path: '/api/v1/embed/session/token',
      headers: { 'content-type': 'application/json' },
      setupRequest: (request, { body }) => ({ ...request, body }),
    },
  ];
}

async function load({ url, deploymentId }, connections, duration) {
  const {
    '2xx': answered,
    non2xx,
    latency,
    ...rest
  } = await autocannon({
    url,
    connections,
    duration,
    requests: requests(deploymentId),
  });
  if (non2xx > 0) throw new Error(`${url} failed ${non2xx} times`);
  return { opened: answered / 2, rate: answered / 2 / rest.duration, p50: latency.p50, p99: latency.p99 };
}

async function prepared(url, files) {
  const { id } = await createDeployment(url);
  await send(url, 'POST', '/api/v1/user-attributes', { name: 'region', type: 'string' });
  return { url, files, deploymentId: id };
}

async function startVariants() {
  const services = ['control-plane', 'build-worker', 'embed'];
  const one = await startPlatform(await startPostgres(), temporaryFolder('storage'));
  const many = await startServices(await startPostgres(), temporaryFolder('storage'), services);
  const files = ['gateway', 'embed', 'control-plane'].map((name) => `dist/apps/${name}/src/main.js`);
  return {
    'in process': await prepared(one, ['dist/apps/platform/src/platform-process.js']),
    'on NATS': await prepared(many, files),
  };
}

const median = (runs, key) => runs.map((run) => run[key]).sort((a, b) => a - b)[Math.floor(runs.length / 2)];

async function measureOnce(variant, connections) {
  const measured = () => load(variant, connections, seconds);
  const { result, microseconds } = await spentDuring(variant.files.map(processIdOf), measured);
  return { ...result, processor: microseconds / result.opened };
}

/** A session is two requests; the percentiles are those of one. */
export async function benchEmbed() {
  const variants = await startVariants();
  for (const variant of Object.values(variants)) await load(variant, 20, seconds);
  const table = [];
  for (const connections of clients) {
    for (const [name, variant] of Object.entries(variants)) {
      const runs = [];
      for (let round = 0; round < rounds; round += 1) runs.push(await measureOnce(variant, connections));
      table.push({
        clients: connections,
        variant: name,
        'sessions/s': Math.round(median(runs, 'rate')),
        'request p50 ms': median(runs, 'p50'),
        'request p99 ms': median(runs, 'p99'),
        'processor µs/session': Math.round(median(runs, 'processor')),
      });
    }
  }
  return table;
}
