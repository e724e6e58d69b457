// Builds @plinth/client with its types into dist/client and packs it: npm run client:pack
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const [source, target] = [join(root, 'libs/client'), join(root, 'dist/client')];
const run = (command, ...words) => execFileSync(command, words, { cwd: target, stdio: 'inherit' });

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
run(
  'node',
  join(root, 'node_modules/typescript-native/bin/tsc'),
  '-p',
  join(source, 'tsconfig.package.json'),
  '--outDir',
  target,
);
for (const [file, from] of [
  ['package.json', source],
  ['README.md', source],
  ['LICENSE', root],
]) {
  cpSync(join(from, file), join(target, file));
}
run('npm', 'pack', '--silent', '--pack-destination', join(root, 'dist'));
