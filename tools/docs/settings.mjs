// Writes the table of settings in docs/operations.md from what the code declares; with --check it only compares.
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const require = createRequire(import.meta.url);
const load = (app) => require(join(root, 'dist/apps', app));
const target = join(root, 'docs/operations.md');
const [begin, end] = ['<!-- settings:begin -->', '<!-- settings:end -->'];

const groups = {
  gateway: load('gateway/src').gateway.settings,
  'control-plane': load('control-plane/src').controlPlane.settings,
  'build-worker': load('build-worker/src').buildWorker.settings,
  runtime: load('runtime/src').runtime.settings,
  workspace: load('workspace/src').workspace.settings,
  embed: load('embed/src').embed.settings,
  agents: load('agents/src').agents.settings,
  scim: load('scim/src').scim.settings,
  sandbox: load('sandbox/src/sandbox.config').sandboxServiceSettings,
  platform: load('platform/src/platform.config').platformSettings,
};

function settings() {
  const rows = new Map();
  for (const [service, group] of Object.entries(groups)) {
    for (const setting of Object.values(group)) {
      const row = rows.get(setting.variable) ?? { setting, services: [] };
      row.services.push(service);
      rows.set(setting.variable, row);
    }
  }
  return [...rows.values()].sort((left, right) => left.setting.variable.localeCompare(right.setting.variable));
}

function defaultOf({ schema }) {
  const parsed = schema.safeParse(undefined);
  if (!parsed.success) return 'required';
  if (schema.safeParse(undefined).data !== parsed.data && typeof parsed.data === 'string') return 'random';
  return parsed.data === undefined
    ? ''
    : `\`${typeof parsed.data === 'object' ? JSON.stringify(parsed.data) : parsed.data}\``;
}

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const users = (services) => (services.length === Object.keys(groups).length ? 'all' : services.join(', '));
const line = ({ setting, services }) =>
  `| \`${setting.variable}\` | ${users(services)} | ${cell(defaultOf(setting))} | ${cell(setting.description)} |`;

const table = ['| variable | used by | default | meaning |', '| --- | --- | --- | --- |', ...settings().map(line)].join(
  '\n',
);
const text = await readFile(target, 'utf8');
const [before, after] = [text.slice(0, text.indexOf(begin) + begin.length), text.slice(text.indexOf(end))];
const wanted = await format(`${before}\n\n${table}\n\n${after}`, {
  ...(await resolveConfig(target)),
  filepath: target,
});
if (process.argv.includes('--check')) {
  if (wanted !== text) {
    console.error('docs/operations.md does not name the settings as they are: run npm run docs:settings');
    process.exitCode = 1;
  }
} else {
  await writeFile(target, wanted);
}
