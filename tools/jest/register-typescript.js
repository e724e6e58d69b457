const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { join, resolve } = require('node:path');
const { lazyImportsOf } = require('../lazy-imports');

/** `node -r tools/jest/register-typescript.js file.ts`: for tests that need a process of their own, to be killed. */
const root = resolve(__dirname, '../..');
const cache = join(root, 'node_modules/.cache/plinth-typescript');
const swcVersion = require('@swc/core/package.json').version;
mkdirSync(cache, { recursive: true });

const optionsOf = (filename) => ({
  filename,
  swcrc: false,
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
  },
  module: { type: 'commonjs', lazy: lazyImportsOf(filename) },
});

require.extensions['.ts'] = (module, filename) => module._compile(compiled(filename), filename);

/** Keyed by all that the result depends on: dozens of processes of a test run load the same files. */
function compiled(filename) {
  const source = readFileSync(filename, 'utf8');
  const options = optionsOf(filename);
  const key = createHash('sha1')
    .update(JSON.stringify([swcVersion, options, source]))
    .digest('hex');
  const file = join(cache, `${key}.js`);
  try {
    return readFileSync(file, 'utf8');
  } catch {
    const { code } = require('@swc/core').transformSync(source, options);
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, code);
    renameSync(draft, file);
    return code;
  }
}

const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  const alias = /^@plinth\/([^/]+)$/.exec(request);
  return resolveFilename.call(this, alias ? join(root, 'libs', alias[1], 'src') : request, ...rest);
};
