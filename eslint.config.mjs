import boundaries from 'eslint-plugin-boundaries';
import checkFile from 'eslint-plugin-check-file';
import tseslint from 'typescript-eslint';

const fileKinds =
  'module|controller|service|schema|repository|entity|guard|config|error|factory|migration|adapter|strategy|router|handler|resolver|dialect|page|server|client|command|events|worker|child|medium|spec|e2e';

/** Which kinds of project may import which others; whatever is not named is refused. */
const allow = (from, to) => ({
  from: from.map((type) => ({ element: { type } })),
  allow: to.map((type) => ({ to: { element: { type } } })),
});

/** Domains of an app from the ground up: each sees those below it, and of these the face (`index.ts`) alone. */
const layers = {
  'control-plane': [
    'kernel',
    'tenancy',
    'people',
    'rights',
    'credentials',
    'sign-in',
    'deployments',
    'integrations',
    'audit',
    'provisioning',
    'directory',
    'operator',
  ],
  'build-worker': ['data-models', 'provisioning', 'compilation', 'builds', 'serving', 'remotes', 'authoring', 'dbt'],
};

const refuse = (files, patterns) => ({
  files,
  ignores: ['**/*.spec.ts'],
  rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns }] },
});

const domainRules = Object.entries(layers).flatMap(([app, domains]) => [
  refuse(
    [`apps/${app}/src/*.ts`],
    [{ regex: '^\\./(?!migrations/)[^/]+/(?!.*\\.config$)', message: 'Domains are imported through their index.ts.' }],
  ),
  ...domains.map((domain, level) =>
    refuse(
      [`apps/${app}/src/${domain}/**/*.ts`],
      [
        {
          regex: `^(\\.\\./)+(${[...domains.slice(level + 1), 'testing'].join('|')})(/|$)`,
          message: 'A domain imports none that is above it.',
        },
        {
          regex: `^(\\.\\./)+(${domains.filter((other) => other !== domain).join('|')})/`,
          message: 'Domains are imported through their index.ts.',
        },
      ],
    ),
  ),
]);

/** Rules that need types are oxlint's (.oxlintrc.json). These need to know how decorators are compiled. */
const parserOptions = { emitDecoratorMetadata: true, experimentalDecorators: true };

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', '.nx/', 'libs/contract/src/generated/', 'libs/client/src/generated/'] },
  {
    files: ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts'],
    extends: [tseslint.configs.strict],
    plugins: { boundaries, 'check-file': checkFile },
    languageOptions: { parserOptions },
    settings: {
      'import/resolver': { typescript: { project: 'tsconfig.json' } },
      'boundaries/elements': [
        { type: 'contract', pattern: 'libs/contract' },
        { type: 'lib', pattern: 'libs/*', capture: ['lib'] },
        { type: 'platform', pattern: 'apps/platform' },
        { type: 'e2e', pattern: 'apps/e2e' },
        { type: 'app', pattern: 'apps/*', capture: ['app'] },
      ],
    },
    rules: {
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'boundaries/dependencies': [
        'error',
        {
          default: 'disallow',
          policies: [
            allow(['lib', 'app', 'platform', 'e2e'], ['lib', 'contract']),
            allow(['platform', 'e2e'], ['app', 'platform']),
          ],
        },
      ],
      'check-file/filename-naming-convention': [
        'error',
        { '**/*.ts': `+([a-z0-9])*(-+([a-z0-9]))*(.@(${fileKinds}))` },
        { ignoreMiddleExtensions: false },
      ],
      'max-lines': ['error', 300],
      complexity: ['error', 12],
      'no-console': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression[object.name='process'][property.name='env']",
          message: 'Only libs/config reads the environment.',
        },
      ],
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'typeorm',
              message: 'TypeORM stays in *.entity.ts, *.repository.ts, migrations and libs/database.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['apps/*/src/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', { name: 'setInterval', message: 'Use WakeableLoop of libs/tasks.' }],
    },
  },
  {
    files: ['libs/database/src/**', '**/*.entity.ts', '**/*.repository.ts', '**/migrations/**'],
    rules: { 'no-restricted-imports': 'off' },
  },
  {
    // Packages of the engine read their settings from the environment, which is set for them in one place; so is the time
    // zone of charts.
    files: [
      'libs/config/src/**',
      'libs/rendering/src/widgets/vega/fixed-world.ts',
      'libs/engine/src/engine/environment.ts',
      'libs/engine/src/model/variables.ts',
      'libs/testing/src/**',
      'apps/e2e/src/**',
      '**/*.spec.ts',
    ],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    files: ['**/migrations/**'],
    rules: {
      'check-file/filename-naming-convention': [
        'error',
        { '**/*.ts': '+([0-9])-+([A-Za-z0-9])?(.migration)' },
        { ignoreMiddleExtensions: false },
      ],
    },
  },
  { files: ['libs/testing/src/**'], rules: { 'no-restricted-imports': 'off' } },
  ...domainRules,
  {
    files: ['**/*.spec.ts', '**/*.e2e.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      'no-restricted-imports': 'off',
      'no-restricted-syntax': [
        'error',
        {
          selector:
            ':matches(CallExpression[callee.name=/^(it|(before|after)(All|Each))$/], CallExpression[callee.callee.property.name="each"]) > Literal[raw=/^[0-9]/]',
          message:
            'A deadline is what a quiet machine needs: deadlineMs(...) of libs/testing makes it that of this one.',
        },
      ],
    },
  },
);
