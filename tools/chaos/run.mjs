// npm run chaos:build: what is left of acknowledged work when workers, NATS and PostgreSQL go down under load.
import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient, Observations } from './api-client.mjs';
import { brokenInvariants, untilSettled } from './invariants.mjs';
import { Monkey } from './monkey.mjs';
import { readOptions } from './options.mjs';
import { Platform } from './platform.mjs';
import { Random } from './random.mjs';
import { printReport } from './report.mjs';
import { createDeployments, work } from './workload.mjs';

const options = readOptions(process.argv.slice(2));
const startedAt = Date.now();
const log = (text) => console.log(`${((Date.now() - startedAt) / 1_000).toFixed(1).padStart(6)} s  ${text}`);

async function main() {
  const { clients, deployments, seconds, seed, faults, mayFail } = options;
  log(`${deployments} deployments, seed ${seed}`);
  const ledgers = await createDeployments(new ApiClient(platform.url), deployments);
  const observations = new Observations();
  const monkey = new Monkey(platform, { names: faults, random: new Random(seed), log });
  log(`${clients} clients and the monkey work for ${seconds} s`);
  await loadUnderFaults({ ledgers, observations, monkey });
  log('waiting for what was begun to end');
  const left = await untilSettled(platform);
  log('checking');
  const broken = [...left, ...(await brokenInvariants(platform, new ApiClient(platform.url), ledgers))];
  printReport({ observations, seconds, faults: monkey.counts, ...(await figures()) });
  const findings = observations.findings.map((finding) => `unexpected reply ${JSON.stringify(finding)}`);
  const failures = mayFail ? [] : [...observations.failedAttempts.keys()].map((reply) => `a request got ${reply}`);
  return [...broken, ...findings, ...failures];
}

/** Ends a while after the last fault is mended, so that clients see everything work again. */
async function loadUnderFaults({ ledgers, observations, monkey }) {
  const [faultsEnd, loadEnd] = [new AbortController(), new AbortController()];
  const clients = Array.from({ length: options.clients }, (_value, client) =>
    work(new ApiClient(platform.url, observations), {
      client,
      ledgers,
      random: new Random(options.seed + client + 1),
      signal: loadEnd.signal,
    }),
  );
  const faults = monkey.work(faultsEnd.signal);
  const timer = setTimeout(() => faultsEnd.abort(), options.seconds * 1_000);
  try {
    await Promise.race([faults, Promise.all(clients)]);
    await delay(CALM_AT_THE_END_MS);
  } finally {
    clearTimeout(timer);
    faultsEnd.abort();
    loadEnd.abort();
    await Promise.allSettled([faults, ...clients]);
  }
  await Promise.all(clients);
}

const CALM_AT_THE_END_MS = 5_000;

const figures = async () => ({
  ownerMoves: await platform.gatewayCounter('plinth_owner_moves_total'),
  builds: await platform.query('select status, count(*)::int as count from build_worker.build group by 1 order by 1'),
});

const platform = new Platform();
const stop = () => platform.stop({ keep: options.keep });
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop().then(() => process.exit(130)));
try {
  log('starting PostgreSQL, NATS, control plane, build workers and gateway');
  await platform.start(options);
  const broken = await main();
  for (const sentence of broken) console.error(`BROKEN: ${sentence}`);
  log(broken.length === 0 ? 'every promise was kept' : `${broken.length} promises were broken`);
  process.exitCode = broken.length === 0 ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await stop();
  if (options.keep) log(`kept ${platform.folder}`);
}
