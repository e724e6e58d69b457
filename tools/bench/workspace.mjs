// (h) Feed, search and access checks in a workspace of 100,000 items with 1,000 users who hold policies, against one of 1,000 items.
import { createDeployment, percentile } from './client.mjs';
import { adminKey, startPlatform, startPostgres, temporaryFolder } from './processes.mjs';
import { WorkspaceData } from './workspace-data.mjs';

const rounds = 200;
const warmUps = 30;
const users = 1_000;
const keysOfUsers = 50;
const shares = 50;

const sizes = {
  large: { items: 100_000, folders: 5_000, rootFolders: 200, rootItems: 1_000 },
  small: { items: 1_000, folders: 100, rootFolders: 50, rootItems: 200 },
};

async function timed(url, path, key) {
  const start = performance.now();
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
  const text = await response.text();
  if (!response.ok && response.status !== 404) throw new Error(`GET ${path} answered ${response.status}: ${text}`);
  return { ms: performance.now() - start, reply: JSON.parse(text) };
}

/** What is asked of a workspace: its path by the number of the request. */
const questions = {
  'feed, root': () => '/workspace?first=100',
  'feed, root, by time': () =>
    '/workspace?first=100&orderByField=updated_at&orderByDirection=DESC&types=WORKBOOK&types=REPORT',
  'feed, folder': ({ folders }, n) => `/workspace?first=100&folderId=${folders[n % 20]}`,
  'feed, large folder': ({ folders }) => `/workspace?first=100&folderId=${folders[0]}&types=WORKBOOK`,
  'feed, large folder, by name': ({ folders }) => `/workspace?first=100&folderId=${folders[0]}&orderByField=name`,
  'search, many match': () => '/workspace?first=100&search=revenue',
  'search, few match': (_data, n) => `/workspace?first=100&search=area%20${501 + n}`,
  'search, by time': () => '/workspace?first=100&search=revenue&orderByField=updated_at&orderByDirection=DESC',
  'folders, root': () => '/folders?first=100',
  'access check': ({ folders }, n) => `/folders/${folders[(n * 7) % folders.length]}/ancestors`,
};

export async function benchWorkspace() {
  const databaseUrl = await startPostgres();
  const url = await startPlatform(databaseUrl, temporaryFolder('storage'));
  const spaces = {};
  for (const name of Object.keys(sizes)) spaces[name] = { id: (await createDeployment(url)).id };
  const data = new WorkspaceData(databaseUrl);
  const ids = Object.values(spaces).map(({ id }) => id);
  const keys = await data.addUsers(users, keysOfUsers, ids);
  for (const [name, space] of Object.entries(spaces)) {
    space.folders = await data.fill(space.id, { ...sizes[name], shares, users });
  }
  await data.settle();
  const rows = [];
  for (const [question, pathOf] of Object.entries(questions)) {
    for (const [who, keyFor] of [
      ['administrator', () => adminKey],
      ['user with policies', (n) => keys[n % keys.length]],
    ]) {
      const times = { large: [], small: [] };
      const counts = { large: 0, small: 0 };
      for (let n = -warmUps; n < rounds; n += 1) {
        for (const [name, space] of Object.entries(spaces)) {
          const path = `/api/v1/deployments/${space.id}${pathOf(space, n + warmUps)}`;
          const { ms, reply } = await timed(url, path, keyFor(n + warmUps));
          if (n < 0) continue;
          times[name].push(ms);
          counts[name] += (reply.items ?? reply).length ?? 0;
        }
      }
      const [large, small] = [times.large, times.small];
      rows.push({
        question,
        who,
        'rows large/small': `${Math.round(counts.large / rounds)}/${Math.round(counts.small / rounds)}`,
        'p50 ms': percentile(large, 0.5).toFixed(1),
        'p95 ms': percentile(large, 0.95).toFixed(1),
        'p50 of small': (percentile(large, 0.5) / percentile(small, 0.5)).toFixed(2),
        'p95 of small': (percentile(large, 0.95) / percentile(small, 0.95)).toFixed(2),
      });
    }
  }
  return rows;
}
