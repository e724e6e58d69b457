// (n) A dbt project of 500 models, from its repository to a branch that is checked: seconds of each phase, twice; and the conversion alone.
import { createRequire } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import { createDeployment, send } from './client.mjs';
import { startPlatform, startPostgres, temporaryFolder } from './processes.mjs';
import { loadNow } from './processor-time.mjs';

const require = createRequire(import.meta.url);
const models = Number(process.env.PLINTH_BENCH_MODELS ?? 500);
const columns = 25;

const model = (index) => `
  - name: model_${index}
    description: One row a thing of kind ${index}
    columns:
      - name: model_${index}_id
        data_type: integer
        data_tests: [unique, not_null]
      - name: parent_id
        data_type: integer${index === 0 ? '' : `\n        data_tests: [{ relationships: { arguments: { to: "ref('model_${Math.floor(index / 2)}')", field: model_${Math.floor(index / 2)}_id } } }]`}
${Array.from({ length: columns }, (_none, at) => `      - { name: column_${at}, data_type: numeric, description: "What {column ${at}} says" }`).join('\n')}`;

/** A bare repository of the project. */
function createProject() {
  const folder = temporaryFolder('dbt');
  const { UpstreamRepository } = require('../../libs/testing/src/git-servers/remote-fixture.ts');
  const upstream = new UpstreamRepository(folder, 'project');
  const all = Array.from({ length: models }, (_none, index) => index);
  upstream.commit('main', {
    'dbt_project.yml': 'name: big\nversion: "1.0"\nprofile: big\nmodel-paths: [models]\n',
    ...Object.fromEntries(all.map((index) => [`models/model_${index}.sql`, 'select 1 as x'])),
    ...Object.fromEntries(all.map((index) => [`models/model_${index}.yml`, `models:${model(index)}\n`])),
  });
  return upstream.directory;
}

async function sync(url, base) {
  const { syncJobId } = await send(url, 'POST', base, {});
  for (;;) {
    await wait(500);
    const { status, error } = await send(url, 'GET', `${base}/${syncJobId}`);
    if (status === 'FAILED') throw new Error(error);
    if (status === 'COMPLETED') break;
  }
  const { items } = await send(url, 'GET', base);
  const { phases } = items.find((run) => run.syncJobId === syncJobId);
  const seconds = phases.map(({ phase, durationMs }) => [phase, Number((durationMs / 1000).toFixed(1))]);
  return { ...Object.fromEntries(seconds), load: loadNow() };
}

const COUNT = 669;

/** Of as many models as the largest public project that was looked at has: the manifest's text to files, nothing else. */
function conversion() {
  const { convertManifest } = require('../../libs/dbt/src/convert.ts');
  const { parseManifest } = require('../../libs/dbt/src/manifest/manifest.ts');
  const { smallManifest } = require('../../libs/dbt/src/testing/small-manifest.ts');
  const all = Array.from({ length: COUNT }, (_none, index) => index);
  const column = (_none, at) => ({ name: `column_${at}`, data_type: 'numeric', description: `What column ${at} says` });
  const described = all.map((index) => ({
    name: `model_${index}`,
    raw_code: 'select 1 as x, '.repeat(100),
    columns: [`model_${index}_id`, 'parent_id', ...Array.from({ length: columns }, column)],
  }));
  const tests = all.flatMap((index) => [
    ...['unique', 'not_null'].map((name) => ({ model: `model_${index}`, column: `model_${index}_id`, name })),
    ...(index === 0 ? [] : [parentOf(index)]),
  ]);
  const text = JSON.stringify(smallManifest({ models: described, tests }));
  const began = performance.now();
  convertManifest(parseManifest(JSON.parse(text)));
  return { [`conversion of ${COUNT}`]: Number(((performance.now() - began) / 1000).toFixed(2)), load: loadNow() };
}

function parentOf(index) {
  const parent = `model_${Math.floor(index / 2)}`;
  return { model: `model_${index}`, column: 'parent_id', name: 'relationships', to: [parent, `${parent}_id`] };
}

export async function benchDbt() {
  const { dbtCommand } = require('../../libs/testing/src/dbt-command.ts');
  const command = dbtCommand();
  if (command === undefined) throw new Error('dbt is missing');
  const settings = { PLINTH_DBT_COMMAND: command, PLINTH_GIT_ALLOW_INSECURE_REMOTES: 'true' };
  const url = await startPlatform(await startPostgres(), temporaryFolder('storage'), settings);
  const { id } = await createDeployment(url);
  const base = `/api/v1/deployments/${id}/dbt-sync`;
  await send(url, 'PUT', `${base}/source`, { url: `file://${createProject()}` });
  return [conversion(), await sync(url, base), await sync(url, base)];
}
