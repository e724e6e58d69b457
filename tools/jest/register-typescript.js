const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { join, resolve } = require('node:path');
const { transformSync } = require('@swc/core');

/** `node -r tools/jest/register-typescript.js file.ts`: for tests that need a process of their own, to be killed. */
const root = resolve(__dirname, '../..');

require.extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    filename,
    swcrc: false,
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
      keepClassNames: true,
    },
    module: { type: 'commonjs' },
  });
  module._compile(code, filename);
};

const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  const alias = /^@plinth\/([^/]+)$/.exec(request);
  return resolveFilename.call(this, alias ? join(root, 'libs', alias[1], 'src') : request, ...rest);
};
