// (i) Creating and reading content, against what Directus does with rows.
import autocannon from 'autocannon';
import { createDeployment, prepare } from './client.mjs';
import { loadNow, spentDuring } from './processor-time.mjs';
import { adminKey, processIdOf, startPlatform, startPostgres, temporaryFolder } from './processes.mjs';

const connections = 16;
const seconds = 5;
const rounds = 3;
const folders = 5_001;
const reports = 50;

/** Of Directus 11.16 on a quiet machine of two cores, as often in a second: a row, a page of 50 of 5,001 rows, a new row. */
const directus = { row: 187, page: 175, create: 43 };

const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };
const jsonQuery = JSON.stringify({ measures: ['orders.count'], dimensions: ['orders.status'] });
let names = 0;

const get = (path) => [{ method: 'GET', path, headers }];
const post = (path, bodyOf) => [
  { method: 'POST', path, headers, setupRequest: (request) => ({ ...request, body: JSON.stringify(bodyOf()) }) },
];

/** What is asked, and what Directus is asked that compares with it. */
async function questions(url) {
  const { id } = await createDeployment(url);
  const api = `/api/v1/deployments/${id}`;
  const report = (name) => prepare(url, 'POST', `${api}/reports`, { name, jsonQuery });
  const { id: parentId } = await prepare(url, 'POST', `${api}/folders`, { name: 'Many' });
  await times(folders, (n) => prepare(url, 'POST', `${api}/folders`, { name: `${n}`, parentId }));
  const made = await times(reports, (n) => report(`Revenue ${n}`));
  const name = () => `Thing ${(names += 1)}`;
  return [
    ['read a report', 'row', get(`${api}/reports/${made[0].id}`)],
    [`read ${reports} reports in turn`, 'row', made.flatMap((each) => get(`${api}/reports/${each.id}`))],
    [`page of 50 of ${folders}`, 'page', get(`${api}/folders?first=50&parentId=${parentId}`)],
    ['create a folder', 'create', post(`${api}/folders`, () => ({ name: name() }))],
    ['create a report', 'create', post(`${api}/reports`, () => ({ name: name(), jsonQuery }))],
  ];
}

/** What the work answers for each number, as many at a time as there are connections. */
async function times(count, work) {
  const [results, numbers] = [[], Array.from({ length: count }, (_, index) => index).values()];
  const worker = async () => {
    for (const number of numbers) results.push(await work(number + 1));
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return results;
}

async function measure(url, requests) {
  const platform = [processIdOf('dist/apps/platform/src/platform-process.js')];
  const { result, microseconds } = await spentDuring(platform, () =>
    autocannon({ url, requests, connections, duration: seconds }),
  );
  const { '2xx': answered, non2xx, latency, duration } = result;
  if (non2xx > 0) throw new Error(`${non2xx} of ${requests[0].path} failed`);
  return { rate: answered / duration, p50: latency.p50, processor: microseconds / answered };
}

export async function benchWorkspaceCrud() {
  const url = await startPlatform(await startPostgres(), temporaryFolder('storage'));
  const rows = [];
  for (const [question, compared, requests] of await questions(url)) {
    const runs = [];
    // The first round warms up.
    for (let round = 0; round <= rounds; round += 1) runs.push(await measure(url, requests));
    const median = (key) =>
      runs
        .slice(1)
        .map((run) => run[key])
        .sort((a, b) => a - b)[Math.floor(rounds / 2)];
    rows.push({
      question,
      'requests/s': Math.round(median('rate')),
      'of Directus': (median('rate') / directus[compared]).toFixed(1),
      'p50 ms': median('p50'),
      'processor µs': Math.round(median('processor')),
      load: loadNow().toFixed(0),
    });
  }
  return rows;
}
