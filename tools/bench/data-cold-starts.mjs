// From the start of the engine's program, or from its order where it has waited for one, to its first answer, with and without
// what the build has made of its model.
import { BareEngine, largeModel } from './data-engine.mjs';
import { percentile } from './client.mjs';
import { dist } from './processes.mjs';

/** Rounds take turns, so that other work on the machine meets all of them alike. */
export async function coldStarts(shop, small, rounds) {
  const rows = [];
  for (const [name, model, query] of [
    ['sample shop', small, { measures: ['orders.count'] }],
    ['200 cubes', largeModel(200), { measures: ['cube7.count'] }],
  ]) {
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
    for (const [state, list] of Object.entries(times)) {
      const of = (key) =>
        percentile(
          list.map((each) => each[key]),
          0.5,
        );
      const compared = (
        of('first') /
        percentile(
          times.nothing.map(({ first }) => first),
          0.5,
        )
      ).toFixed(2);
      const [ready, first] = [seconds(of('ready')), seconds(of('first'))];
      rows.push({
        model: name,
        'handed over': state,
        'ready s': ready,
        'first answer s': first,
        'of nothing': compared,
      });
    }
  }
  return rows;
}

const seconds = (milliseconds) => (milliseconds / 1_000).toFixed(2);

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
