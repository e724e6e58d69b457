// Starts one service as a process of its own, and again when it fails: npm run start:service -- build-worker
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const services = [
  'gateway',
  'control-plane',
  'build-worker',
  'runtime',
  'workspace',
  'embed',
  'agents',
  'scim',
  'sandbox',
];
const [name] = process.argv.slice(2);
const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const entry = join(root, 'dist', 'apps', name ?? '', 'src', 'main.js');
if (!services.includes(name) || !existsSync(entry)) {
  console.error(`usage: npm run start:service -- ${services.join('|')}`);
  process.exit(2);
}
await createRequire(import.meta.url)(join(root, 'dist/libs/supervisor/src')).supervise(entry, []);
