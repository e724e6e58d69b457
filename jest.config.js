const { join } = require('node:path');
const { probedPace } = require('./tools/jest/pace');
const { importsOfLibraries, partsOfLibraries } = require('./tools/lazy-imports');

const swc = (parser, options = {}, module = {}) => [
  '@swc/jest',
  {
    swcrc: false,
    sourceMaps: 'inline',
    jsc: { target: 'es2022', parser, keepClassNames: true, ...options },
    module: { type: 'commonjs', ...module },
  },
];

/** The build makes the same imports lazy: see `tools/lazy-imports.js`. */
const typescript = (lazy) =>
  swc(
    { syntax: 'typescript', decorators: true },
    { transform: { legacyDecorator: true, decoratorMetadata: true } },
    { lazy },
  );

/** Packages that ship ES modules alone; jest runs them as CommonJS. */
const esModules = [
  '@kubernetes',
  '@octokit',
  '@simple-git',
  'before-after-hook',
  'content-type',
  'eta',
  'jose',
  'json-with-bigint',
  'nanoid',
  'oauth4webapi',
  'oidc-provider',
  'openid-client',
  'p-limit',
  'quick-lru',
  'simple-git',
  'toad-cache',
  'universal-github-app-jwt',
  'universal-user-agent',
  'uuid',
  'yocto-queue',
];

const base = {
  rootDir: __dirname,
  testEnvironment: 'node',
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json'],
  moduleNameMapper: {
    '^@plinth/([^/]+)$': '<rootDir>/libs/$1/src',
    // Their exports name no condition that jest's CommonJS resolver follows.
    '^@octokit/(auth-unauthenticated|webhooks-methods)$': '<rootDir>/node_modules/@octokit/$1/dist-node/index.js',
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  transform: {
    '/libs/[^/]+/src/index\\.ts$': typescript(partsOfLibraries),
    '^.+\\.ts$': typescript(importsOfLibraries),
    '^.+\\.m?js$': swc({ syntax: 'ecmascript' }),
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esModules.join('|')})/)`],
};

const size = (displayName, testMatch, extra = {}) => ({ ...base, displayName, testMatch, ...extra });
const servers = {
  globalSetup: join(__dirname, 'tools/jest/start-servers.js'),
  globalTeardown: join(__dirname, 'tools/jest/stop-servers.js'),
};

/** Workers inherit it; see `deadlineMs` of libs/testing. */
process.env.PLINTH_TEST_PACE ??= String(probedPace());

/** Three sizes, named by what is real: see docs/contributing.md. */
module.exports = {
  maxWorkers: 2,
  reporters: ['default', '<rootDir>/tools/jest/size-reporter.js'],
  testSequencer: '<rootDir>/tools/jest/longest-first.js',
  testTimeout: Math.round(60_000 * Number(process.env.PLINTH_TEST_PACE)),
  projects: [
    size('small', ['<rootDir>/{apps,libs}/*/src/**/!(*.medium).spec.ts']),
    size('medium', ['<rootDir>/{apps,libs}/*/src/**/*.medium.spec.ts'], servers),
    size('e2e', ['<rootDir>/apps/e2e/src/**/*.e2e.ts'], servers),
  ],
};
