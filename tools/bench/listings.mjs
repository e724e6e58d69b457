// (e) A listing of 5,000 files with their contents over HTTP, every service a process of its own: time and memory.
import { createDeployment, openDevBranch, send } from './client.mjs';
import { growthDuring } from './memory.mjs';
import { adminKey, processIdOf, startPostgres, startServices, temporaryFolder } from './processes.mjs';

const files = 5_000;
const fileBytes = 8 * 1_024;
const batch = 500;

const model = (number) => ({
  path: `model/cubes/area${number % 50}/cube${number}.yml`,
  content: `# ${number}\n`.padEnd(fileBytes, 'a line of a cube that means nothing\n'),
});

/** Bytes of the reply, which is thrown away as it comes. */
async function drain(url, path) {
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${adminKey}` } });
  if (!response.ok) throw new Error(`GET ${path} answered ${response.status}`);
  let bytes = 0;
  for await (const chunk of response.body) bytes += chunk.length;
  return bytes;
}

export async function benchListings() {
  const url = await startServices(await startPostgres(), temporaryFolder('storage'));
  const { id } = await createDeployment(url);
  await openDevBranch(url, id);
  const path = `/build/api/v1/deployments/${id}/data-model/files`;
  for (let first = 0; first < files; first += batch) {
    await send(url, 'PUT', path, { files: Array.from({ length: batch }, (_value, index) => model(first + index)) });
  }
  const pids = ['build-worker', 'gateway'].map((name) => processIdOf(`dist/apps/${name}/src/main.js`));
  const rows = {};
  for (const [name, query] of [
    ['paths alone', ''],
    ['with contents', '?withContent=true'],
    ['with contents again', '?withContent=true'],
  ]) {
    const start = performance.now();
    const { result: bytes, growth } = await growthDuring(pids, () => drain(url, path + query));
    rows[name] = {
      'reply in MiB': (bytes / 2 ** 20).toFixed(1),
      seconds: ((performance.now() - start) / 1_000).toFixed(2),
      'growth of the build worker in MiB': growth[0].toFixed(0),
      'growth of the gateway in MiB': growth[1].toFixed(0),
    };
  }
  return rows;
}
