const { join } = require('node:path');
const { probedPace } = require('./tools/jest/pace');
const { importsOfLibraries, partsOfLibraries } = require('./tools/lazy-imports');

/** The build makes the same imports lazy: see `tools/lazy-imports.js`. */
const typescript = (lazy) => [
  '@swc/jest',
  {
    swcrc: false,
    sourceMaps: 'inline',
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
      keepClassNames: true,
    },
    module: { type: 'commonjs', lazy },
  },
];

const base = {
  rootDir: __dirname,
  testEnvironment: '<rootDir>/tools/jest/environment.js',
  runtime: '<rootDir>/tools/jest/runtime.js',
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json'],
  moduleNameMapper: { '^@plinth/([^/]+)$': '<rootDir>/libs/$1/src' },
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  transform: {
    '/libs/[^/]+/src/index\\.ts$': typescript(partsOfLibraries),
    '^.+\\.ts$': typescript(importsOfLibraries),
  },
};

const size = (displayName, testMatch, extra = {}) => ({ ...base, displayName, testMatch, ...extra });
const servers = {
  globalSetup: join(__dirname, 'tools/jest/start-servers.js'),
  globalTeardown: join(__dirname, 'tools/jest/stop-servers.js'),
};

/** One more than the two cores of the machine that tests are made for: what waits for processes leaves a third of them idle. */
const WORKERS = 3;

/** Workers inherit it; see `deadlineMs` of libs/testing. */
process.env.PLINTH_TEST_PACE ??= String(probedPace());

/** Three sizes, named by what is real: see docs/contributing.md. */
module.exports = {
  maxWorkers: WORKERS,
  reporters: ['default', '<rootDir>/tools/jest/size-reporter.js'],
  testSequencer: '<rootDir>/tools/jest/longest-first.js',
  testTimeout: Math.round(120_000 * Number(process.env.PLINTH_TEST_PACE)),
  projects: [
    size('small', ['<rootDir>/{apps,libs}/*/src/**/!(*.medium).spec.ts']),
    size('medium', ['<rootDir>/{apps,libs}/*/src/**/*.medium.spec.ts'], servers),
    size('e2e', ['<rootDir>/apps/e2e/src/**/*.e2e.ts'], servers),
  ],
};
