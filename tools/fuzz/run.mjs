// npm run fuzz: hostile requests from the served API document, on both topologies.
import { percentile } from '../bench/client.mjs';
import { adminKey } from '../bench/processes.mjs';
import { Random } from '../chaos/random.mjs';
import { Contract } from './contract.mjs';
import { Findings } from './findings.mjs';
import { HttpClient } from './http-client.mjs';
import { deploymentInput, Keeper } from './keeper.mjs';
import { readOptions } from './options.mjs';
import { workOnSockets } from './raw-sockets.mjs';
import { RequestPlans } from './requests.mjs';
import { Session } from './session.mjs';
import { startTopology } from './topologies.mjs';
import { World } from './world.mjs';

const options = readOptions(process.argv.slice(2));
const findings = new Findings();
const SOCKETS = 3;

async function fuzz(name, seconds) {
  const topology = await startTopology(name, (what, text) => findings.add(what, text));
  stop = topology.stop;
  const client = new HttpClient(topology.url, { admin: adminKey, garbage: 'sk-garbage' });
  const world = new World();
  await prepare(topology, client, world);
  const keeper = new Keeper(client, world, findings, topology);
  await keeper.setUp();
  const { body: document } = await client.json('GET', '/api/v1/spec');
  const contract = new Contract(document);
  const session = new Session({ contract, plans: new RequestPlans(contract), client, world, findings, topology });
  const wanted = contract.operations.filter(({ id }) => !options.operation || id === options.operation);
  if (wanted.length === 0) throw new Error(`There is no operation ${options.operation}`);
  await session.look();
  const deadline = Date.now() + seconds * 1_000;
  await Promise.all([
    ...Array.from({ length: options.clients }, (_value, index) =>
      session.work(new Random(options.seed + index), wanted, deadline),
    ),
    keeper.work(new Random(options.seed - 1), deadline),
    ...Array.from({ length: options.operation ? 0 : SOCKETS }, (_value, index) =>
      workOnSockets(session, new Random(options.seed - 2 - index), deadline),
    ),
  ]);
  const checked = await keeper.check();
  client.close();
  await topology.stop();
  print(name, seconds, session.figures, { operations: wanted, writes: keeper.writes, checked });
}

/** Credentials of every kind, and something of every kind to ask for. */
async function prepare({ issueKey }, client, world) {
  const { body: admin } = await client.json('GET', '/api/v1/users/me');
  client.credentials.viewer = await issueKey('viewer@example.test', 'Viewer');
  const { body: viewer } = await client.json('GET', '/api/v1/users/me', 'viewer');
  world.keep('users', admin.id, viewer.id);
  const { body: deployment } = await client.json('POST', '/build/api/v1/deployments', 'admin', deploymentInput('Fuzz'));
  const { body: key } = await client.json('POST', '/api/v1/api-keys', 'admin', {
    name: 'limited',
    deploymentIds: [deployment.id],
  });
  const { body: scim } = await client.json('POST', '/api/v1/scim/tokens', 'admin', { name: 'fuzz' });
  Object.assign(client.credentials, { limited: key.token, scim: scim.token });
  const { body: keys } = await client.json('GET', '/api/v1/api-keys');
  world.keep('api-keys', ...keys.items.map(({ id }) => id));
  world.keep('tokens', scim.id);
  world.add('deployments', deployment.id);
}

function print(name, seconds, figures, { operations, writes, checked }) {
  const { requests, statuses, milliseconds, served, sockets = 0 } = figures;
  const [p50, p99] = [0.5, 0.99].map((share) => Math.round(percentile(milliseconds, share) ?? 0));
  console.log(`${name}: ${requests} requests and ${sockets} sockets in ${seconds} s, p50 ${p50} ms, p99 ${p99} ms`);
  console.log(
    `  ${Object.entries(statuses)
      .map(([status, count]) => `${count} x ${status}`)
      .join(', ')}`,
  );
  console.log(
    `  ${served.size} of ${operations.length} operations served; ${writes} kept writes; ${checked} things read back`,
  );
  const never = operations.map(({ id }) => id).filter((id) => !served.has(id));
  if (never.length > 0) console.log(`  never with success: ${never.join(', ')}`);
}

let stop = () => Promise.resolve();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop().then(() => process.exit(130)));
try {
  console.log(`seed ${options.seed}`);
  const seconds = Math.ceil(options.seconds / options.topologies.length);
  for (const name of options.topologies) await fuzz(name, seconds);
  for (const [signature, times] of findings.entries()) console.error(`${String(times).padStart(6)} x ${signature}`);
  console.log(findings.count === 0 ? 'nothing was found' : `${findings.count} things were found, seed ${options.seed}`);
  process.exitCode = findings.count === 0 ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
  await stop();
}
