// (m) Questions to agents, all at once: how soon what the provider says is at the client, and what the answers cost in memory.
import { createDeployment, percentile, send } from './client.mjs';
import { residentMbOf } from './memory.mjs';
import {
  adminKey,
  dist,
  processIdOf,
  startPlatform,
  startPostgres,
  startServices,
  stopWithTheRest,
  temporaryFolder,
} from './processes.mjs';

const streams = 200;
const rounds = 3;
const words = 60;
const everyMs = 200;
const SAMPLE_MS = 500;

const says = Array.from({ length: words }, (_none, index) => `word${index} `).join('');
const settled = () => new Promise((resolve) => setTimeout(resolve, 2_000));

/** A provider in this process, whose first byte and the clients' first line have one clock. */
async function startProvider() {
  const { startScriptedModel } = dist('libs/testing/src/language-model');
  const model = await startScriptedModel();
  stopWithTheRest(() => void model.stop());
  const firstBytes = new Map();
  const script = () => {
    firstBytes.clear();
    model.script(({ body }) => {
      const { content } = body.messages.at(-1);
      firstBytes.set(content, performance.now());
      return content.startsWith('Warm-up') ? { says } : { says, everyMs };
    });
  };
  return { baseUrl: model.baseUrl, firstBytes, script };
}

async function prepared(url, files, { baseUrl }) {
  const { id } = await createDeployment(url);
  await send(url, 'PUT', '/api/v1/tenant/ai-provider', { kind: 'openai-compatible', baseUrl, model: 'scripted' });
  const { items } = await send(url, 'GET', `/api/v1/deployments/${id}/agents`);
  const { email } = await send(url, 'GET', '/api/v1/users/me');
  return { chatUrl: items[0].chatUrl, internalId: email, files };
}

/** Asks, reads to the end, and tells when the first word came. */
async function asked({ chatUrl, internalId }, input) {
  const response = await fetch(chatUrl, {
    method: 'POST',
    headers: { authorization: `Api-Key ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input, sessionSettings: { internalId } }),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  let firstAt;
  let last = '';
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    if (part.includes('word0')) firstAt ??= performance.now();
    last = (last + part).slice(-1_000);
  }
  if (!last.includes('__state__')) throw new Error(`The stream was cut off: ${last}`);
  return firstAt;
}

/** The first questions find everything cold. */
async function warmUp(variant, provider) {
  provider.script();
  for (let number = 0; number < 5; number += 1) await asked(variant, `Warm-up ${number}`);
}

async function round(variant, provider, number) {
  provider.script();
  const pids = variant.files.map(processIdOf);
  let highest = 0;
  const timer = setInterval(() => (highest = Math.max(highest, residentMbOf(pids))), SAMPLE_MS);
  const delays = await Promise.all(
    Array.from({ length: streams }, async (_none, index) => {
      const input = `Question ${number}-${index}`;
      const firstAt = await asked(variant, input);
      return firstAt - provider.firstBytes.get(input);
    }),
  ).finally(() => clearInterval(timer));
  await settled();
  return { delays, highest, after: residentMbOf(pids) };
}

const tableRow = (name, number, { delays, highest, after }) => ({
  variant: name,
  round: number,
  'first line p50 ms': Math.round(percentile(delays, 0.5)),
  'p99 ms': Math.round(percentile(delays, 0.99)),
  'longest ms': Math.round(Math.max(...delays)),
  'most MiB': Math.round(highest),
  'MiB after': Math.round(after),
});

/** From the first byte of the provider to the line with the first word at the client; memory of gateway and agents. */
export async function benchAgents() {
  const provider = await startProvider();
  const one = await startPlatform(await startPostgres(), temporaryFolder('storage'));
  const services = ['control-plane', 'build-worker', 'agents'];
  const many = await startServices(await startPostgres(), temporaryFolder('storage'), services);
  const files = ['gateway', 'agents'].map((name) => `dist/apps/${name}/src/main.js`);
  const variants = {
    'in process': await prepared(one, ['dist/apps/platform/src/platform-process.js'], provider),
    'on NATS': await prepared(many, files, provider),
  };
  const table = [];
  for (const [name, variant] of Object.entries(variants)) {
    await warmUp(variant, provider);
    for (let number = 0; number < rounds; number += 1) {
      table.push(tableRow(name, number, await round(variant, provider, number)));
    }
  }
  return table;
}
