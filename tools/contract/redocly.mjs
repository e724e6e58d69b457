import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { root } from './paths.mjs';

const run = promisify(execFile);
const config = join(root, 'openapi/redocly.yaml');
const environment = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' };

async function redocly(...args) {
  const cli = join(root, 'node_modules/@redocly/cli/bin/cli.js');
  try {
    await run(process.execPath, [cli, ...args, '--config', config], {
      cwd: root,
      env: environment,
      maxBuffer: 64 << 20,
    });
  } catch (error) {
    throw new Error(`redocly ${args[0]} failed\n${withoutWarnings(`${error.stdout ?? ''}${error.stderr ?? ''}`)}`);
  }
}

/** What stopped it is lost among dozens of warnings and the advice in the frame otherwise. */
const withoutWarnings = (text) =>
  text
    .replace(/^\s*[╔║╚].*\n/gm, '')
    .split(/^(?=\[\d+\] )/m)
    .filter((finding) => !/^Warning was generated/m.test(finding))
    .join('');

/** Rejects with the findings when the contract breaks a style rule. */
export const lint = () => redocly('lint', '--format', 'stylish');

/** Joins the files of one document; its references then point to its own components. */
export async function bundle(api) {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-contract-'));
  try {
    const output = join(folder, 'bundle.json');
    await redocly('bundle', api, '--output', output, '--ext', 'json');
    return JSON.parse(await readFile(output, 'utf8'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
