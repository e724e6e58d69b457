import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
export const read = (path) => readFileSync(join(root, path), 'utf8');

export const services = ['gateway', 'control-plane', 'build-worker', 'runtime', 'workspace', 'embed', 'agents', 'scim'];
