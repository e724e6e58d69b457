// (h2) From the start of an engine's program, or from its order where it has waited for one, to its first answer, with and
// without what the build has made of its model; and what a client waits for the first answer of a deployment that sleeps.
import { percentile } from './client.mjs';
import { BareEngine, largeModel } from './data-engine.mjs';
import { createDatabase, createShop, firstAnswer, openShop } from './data-shop.mjs';
import { dist, processIdOf, programsBelow, startPlatform, startPostgres, temporaryFolder } from './processes.mjs';
import { untilIdle } from './processor-time.mjs';

const rounds = process.argv.includes('--quick') ? 1 : 3;

export async function benchColdStarts() {
  const databaseUrl = await startPostgres();
  const shop = await createShop(databaseUrl);
  const { sampleShopModel } = dist('libs/sample-shop/src');
  const models = [
    ['sample shop', await sampleShopModel(), { measures: ['orders.count'] }],
    ['200 cubes', largeModel(200), { measures: ['cube7.count'] }],
  ];
  const rows = [];
  for (const model of models) rows.push(...(await startsOfProgram(shop, model)));
  console.table(rows);
  return [...(await firstAnswers(databaseUrl, shop, models, 1)), ...(await firstAnswers(databaseUrl, shop, models, 0))];
}

/** Rounds take turns, so that other work on the machine meets all of them alike. */
async function startsOfProgram(shop, [name, model, query]) {
  const built = await builtOf(model);
  const states = {
    nothing: { transpiled: [] },
    'what the build made': { transpiled: built },
    'what the build made, to a spare engine': { transpiled: built, isSpare: true },
  };
  const times = Object.fromEntries(Object.keys(states).map((state) => [state, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [state, how] of Object.entries(states)) {
      times[state].push(await startOf(shop, model, how, query));
    }
  }
  const medianOf = (state, key) => median(times[state].map((each) => each[key]));
  return Object.keys(states).map((state) => ({
    model: name,
    'handed over': state,
    'ready s': seconds(medianOf(state, 'ready')),
    'first answer s': seconds(medianOf(state, 'first')),
    'of nothing': (medianOf(state, 'first') / medianOf('nothing', 'first')).toFixed(2),
  }));
}

async function startOf(shop, model, { transpiled, isSpare }, query) {
  const spare = isSpare ? await BareEngine.spare() : undefined;
  const began = performance.now();
  const engine = spare ?? (await BareEngine.spawn());
  await engine.serve(shop, model, transpiled);
  const ready = performance.now() - began;
  await engine.load(query);
  const first = performance.now() - began;
  await engine.stop();
  return { ready, first };
}

/** As a build worker hands it over. */
async function builtOf(model) {
  const { Sandbox } = dist('libs/sandbox/src');
  const { ModelCompiler } = dist('apps/build-worker/src/compilation/compiler/model-compiler');
  const compiler = new ModelCompiler(await Sandbox.open(), { timeoutMs: 600_000 });
  const owner = { tenantId: 1, deploymentId: 1, trust: 'shared' };
  const { valid, errors, transpiled } = await compiler.compile(model, { owner });
  await compiler.close();
  if (!valid) throw new Error(JSON.stringify(errors));
  return transpiled;
}

/** Through the gateway of one process, whose other deployments are awake. */
async function firstAnswers(databaseUrl, shop, models, spares) {
  const ofItsOwn = await createDatabase(databaseUrl, `bench_spares_${spares}`);
  const settings = { PLINTH_ENGINE_SPARES: String(spares) };
  const platform = await startPlatform(ofItsOwn, temporaryFolder('storage'), settings);
  const engines = () => programsBelow(processIdOf('dist/apps/platform/src/platform-process.js'), 'libs/engine/src/');
  let awake = 0;
  const timeOf = async (model, query) => {
    const { path, token } = await openShop(platform, shop, model);
    // An engine and its model process for each, and for the one that waits.
    if (awake > 0) await untilIdle(engines, 2 * (awake + spares));
    const began = performance.now();
    await firstAnswer(`${platform}${path}`, token, query);
    awake += 1;
    return performance.now() - began;
  };
  await timeOf(models[0][1], models[0][2]);
  const rows = [];
  for (const [name, model, query] of models) {
    const times = [];
    for (let round = 0; round < rounds; round += 1) times.push(await timeOf(model, query));
    rows.push({ model: name, 'spare engines': spares, 'first answer through the gateway s': seconds(median(times)) });
  }
  return rows;
}

const median = (times) => percentile(times, 0.5);
const seconds = (milliseconds) => (milliseconds / 1_000).toFixed(2);
