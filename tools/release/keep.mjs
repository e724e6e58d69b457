// npm run release:keep: what the present release leaves to later ones, for the test of upgrades. Once for each release.
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const { version } = require('../../package.json');
const target = join(root, 'apps/e2e/fixtures/releases', version);
const MOST_BYTES = 2_000_000;

if (existsSync(target)) {
  console.error(`${target} is there already: what a release has left is never made anew`);
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'plinth-release-'));
process.env.PLINTH_TEST_FOLDER = folder;
require('../jest/register-typescript.js');
const harness = (name) => require(`../../apps/e2e/src/harness/${name}.ts`);

const dataFolder = join(folder, 'data');
const settings = { PLINTH_DATA_FOLDER: dataFolder, PLINTH_ENCRYPTION_KEYS: harness('released-platform').RELEASE_KEY };
const platform = await harness('one-process').startOneProcess(settings);
try {
  const draft = join(folder, 'release');
  mkdirSync(draft);
  await harness('released-platform').fillPlatform(platform.admin);
  const answers = harness('released-platform').keptAnswers(await harness('whole-api').readWholeApi(platform.admin));
  await platform.plinth('backup', '--to', join(draft, 'backup.tar'));
  writeFileSync(join(draft, 'answers.json'), text(answers));
  writeFileSync(join(draft, 'heads.json'), text(harness('git-heads').headsBelow(join(dataFolder, 'repositories'))));
  writeFileSync(join(draft, 'migrations.sha256'), migrations());
  const bytes = ['backup.tar', 'answers.json'].reduce((sum, name) => sum + statSync(join(draft, name)).size, 0);
  if (bytes > MOST_BYTES) {
    const sizes = Object.entries(answers).map(([path, answer]) => [JSON.stringify(answer)?.length ?? 0, path]);
    const largest = sizes.sort(([left], [right]) => right - left).slice(0, 5);
    throw new Error(`${bytes} bytes are too much to keep for each release: ${largest.join('; ')}`);
  }
  mkdirSync(dirname(target), { recursive: true });
  execFileSync('cp', ['-r', draft, `${target}.new`]);
  renameSync(`${target}.new`, target);
  console.log(`${target}: ${Object.keys(answers).length} answers, ${bytes} bytes`);
} finally {
  await platform.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

function text(value) {
  return `${JSON.stringify(value, null, 1)}\n`;
}

/** As `sha256sum` writes them, by the names of the files alone: they may move. */
function migrations() {
  const files = execFileSync('git', ['ls-files', '*.migration.ts'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const lines = files.map((file) => `${hashOf(join(root, file))}  ${basename(file)}\n`);
  return lines.sort((left, right) => (left.slice(66) < right.slice(66) ? -1 : 1)).join('');
}

function hashOf(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
