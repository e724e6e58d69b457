// (b) One file write to a dev branch over HTTP, against the same write by git's own plumbing commands.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { createDeployment, openDevBranch, percentile, send } from './client.mjs';
import { startPlatform, startPostgres, temporaryFolder } from './processes.mjs';

const files = 300;
const writes = 60;

const model = (index) => ({
  path: `model/cubes/area${index % 10}/cube${index}.yml`,
  content: `cubes: [] # ${index}\n`,
});

async function overHttp() {
  const url = await startPlatform(await startPostgres(), temporaryFolder('storage'));
  const { id } = await createDeployment(url);
  await openDevBranch(url, id);
  const path = `/build/api/v1/deployments/${id}/data-model/files`;
  await send(url, 'PUT', path, { files: Array.from({ length: files }, (_value, index) => model(index)) });
  return timed((round) =>
    send(url, 'PUT', path, { files: [{ ...model(round), content: `cubes: [] # write ${round}\n` }] }),
  );
}

/** The seven commands that put one file on a branch of a bare repository. */
async function byPlumbing() {
  const folder = join(temporaryFolder('plumbing'), 'model.git');
  const git = (args, options = {}) =>
    execFileSync('git', ['-C', folder, ...args], {
      encoding: 'utf8',
      env: { ...process.env, ...identity, ...options.env },
      input: options.input,
    }).trim();
  execFileSync('git', ['init', '--bare', '-q', '-b', 'main', folder]);
  const index = { GIT_INDEX_FILE: join(folder, 'bench-index') };
  for (let number = 0; number < files; number += 1) {
    const { path, content } = model(number);
    git(
      [
        'update-index',
        '--add',
        '--cacheinfo',
        `100644,${git(['hash-object', '-w', '--stdin'], { input: content })},${path}`,
      ],
      { env: index },
    );
  }
  git(['update-ref', 'refs/heads/main', git(['commit-tree', git(['write-tree'], { env: index }), '-m', 'start'])]);
  return timed((round) => {
    const head = git(['rev-parse', 'refs/heads/main']);
    const blob = git(['hash-object', '-w', '--stdin'], { input: `cubes: [] # write ${round}\n` });
    git(['read-tree', head], { env: index });
    git(['update-index', '--add', '--cacheinfo', `100644,${blob},${model(round).path}`], { env: index });
    const tree = git(['write-tree'], { env: index });
    git(['update-ref', 'refs/heads/main', git(['commit-tree', tree, '-p', head, '-m', 'write']), head]);
  });
}

const identity = { GIT_AUTHOR_NAME: 'b', GIT_AUTHOR_EMAIL: 'b@b', GIT_COMMITTER_NAME: 'b', GIT_COMMITTER_EMAIL: 'b@b' };

async function timed(write) {
  const times = [];
  for (let round = 0; round < writes; round += 1) {
    const start = performance.now();
    await write(round);
    times.push(performance.now() - start);
  }
  return times.slice(10);
}

export async function benchWrites() {
  const [http, plumbing] = [await overHttp(), await byPlumbing()];
  const base = percentile(plumbing, 0.5);
  return [
    {
      variant: 'seven plumbing commands',
      'p50 ms': base.toFixed(1),
      'p95 ms': percentile(plumbing, 0.95).toFixed(1),
      'of plumbing': '1.00',
    },
    {
      variant: 'one PUT over HTTP',
      'p50 ms': percentile(http, 0.5).toFixed(1),
      'p95 ms': percentile(http, 0.95).toFixed(1),
      'of plumbing': (percentile(http, 0.5) / base).toFixed(2),
    },
  ];
}
