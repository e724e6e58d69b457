import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { programsBelow, until } from '@plinth/testing';
import { selectVariables } from './engine/variables';
import { engineCommand } from './program';
import { EngineSuite } from './testing/engine-suite';
import type { EngineSettings, EngineUnderTest } from './testing/engine-under-test';

const model = {
  'numbers.yml': `cubes:
  - name: numbers
    sql: SELECT generate_series(1, 9) AS a, now() AS at
    dimensions:
      - { name: a, sql: a, type: number, primary_key: true, public: true }
      - { name: at, sql: at, type: time }
    measures:
      - { name: count, type: count }
views:
  - name: shown
    cubes: [{ join_path: numbers, includes: '*' }]
    folders: [{ name: outer, includes: [count, { name: inner, includes: [a] }] }]
`,
};
const variables = { CUBEJS_DB_QUERY_DEFAULT_LIMIT: '4', CUBEJS_NESTED_FOLDERS_DELIMITER: ' > ' };
const modelProcesses = ({ child }: EngineUnderTest) => programsBelow(child.pid ?? 0, '/model/main');
const aModelProcess = (engine: EngineUnderTest) =>
  until(
    'a model process',
    () => modelProcesses(engine),
    (pids) => pids.length === 1,
  );

let suite: EngineSuite;
const start = (settings: Partial<EngineSettings> = {}) => suite.start(settings);
beforeAll(async () => {
  suite = await EngineSuite.open(model);
});
afterAll(() => suite.close());

/** What the settings of a deployment decide, in the engine's process and in that of the model. */
async function seen(engine: EngineUnderTest): Promise<{ data: unknown; folders: string[] | undefined }> {
  const [loaded, meta] = await Promise.all([
    engine.load({ dimensions: ['numbers.a'] }),
    engine.ask('/cubejs-api/v1/meta'),
  ]);
  const { cubes } = meta.body as unknown as { cubes: { name: string; folders: { name: string }[] }[] };
  const folders = cubes.find(({ name }) => name === 'shown')?.folders.map(({ name }) => name);
  return { data: loaded.body.data, folders };
}

describe('an engine that has waited for its order', () => {
  it('serves by the variables of its order, in the process that has waited, as one that has not', async () => {
    let waited: number[] = [];
    const whileWaiting = async (engine: EngineUnderTest) => {
      waited = await aModelProcess(engine);
    };
    const [prepared, other] = await Promise.all([start({ variables, whileWaiting }), start({ variables })]);
    const [found, expected] = await Promise.all([prepared, other].map((each) => seen(each)));
    expect(found).toEqual(expected);
    expect(found).toEqual({
      data: [1, 2, 3, 4].map((a) => ({ 'numbers.a': a })),
      folders: ['outer > inner', 'outer'],
    });
    expect(modelProcesses(prepared)).toEqual(waited);
  });

  it('ends with its parent while it waits', async () => {
    let waiting: EngineUnderTest | undefined;
    const whileWaiting = async (engine: EngineUnderTest) => {
      await aModelProcess((waiting = engine));
      engine.child.stdin.end();
    };
    await expect(start({ whileWaiting })).rejects.toThrow('The engine ended');
    await waiting?.stop();
  });
});

describe('what is loaded before an order', () => {
  const FUNCTIONS_OF_RAMDA = /\/ramda\/src\/(?!index\.js$)/;
  const UNUSED_BY_MODELS = new RegExp(
    `${FUNCTIONS_OF_RAMDA.source}|/compiler/converters/(?!index)|/scaffolding/(?!index)|/yaml/dist/`,
  );

  interface Loading {
    /** Names of all variables that are read while the program is loaded, and all that it has put off. */
    names: string[];
    /** Files that are loaded when the program is. */
    files: string[];
    /** Those that come when what it has put off is used. */
    later: string[];
  }

  function loading(program: string, before = ''): Loading {
    const { args } = engineCommand(128);
    const script = `const names = new Set();
      const env = new Proxy({ NODE_ENV: 'production' }, { get: (known, name) => (names.add(name), known[name]) });
      Object.defineProperty(process, 'env', { value: env });
      const load = require('node:module').createRequire(${JSON.stringify(args.at(-1))});
      ${before}
      load(${JSON.stringify(program)});
      const putOff = Object.values(load.cache).filter(({ exports }) => require('node:util').types.isProxy(exports));
      const files = Object.keys(load.cache).filter((file) => !putOff.some(({ filename }) => filename === file));
      for (const { exports } of putOff) Object.keys(exports);
      const later = Object.keys(load.cache).filter((file) => !files.includes(file));
      const found = { names: [...names].filter((name) => typeof name === 'string'), files, later };
      // Programs keep their output for themselves.
      require('node:fs').writeFileSync(1, JSON.stringify(found));
      process.exit();`;
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { env: {}, encoding: 'utf8' });
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as Loading;
  }

  function expectNothingOfDeployments(names: string[]): void {
    const { engine } = selectVariables(Object.fromEntries(names.map((name) => [name, '-----BEGIN '])));
    expect(names).toContain('NODE_ENV');
    expect(engine).toEqual({});
    expect(names.filter((name) => /^(?:AWS|AZURE|GOOGLE|PG)/.test(name))).toEqual([]);
  }

  it('reads nothing that a deployment may set: the model process, without what no model needs', () => {
    const { names, files } = loading('../model/served-model.js');
    expectNothingOfDeployments(names);
    expect(files.filter((file) => UNUSED_BY_MODELS.test(file))).toEqual([]);
    expect(files.filter((file) => file.includes('/schema-compiler/'))).not.toEqual([]);
  });

  it('has all functions of Ramda, in one file', () => {
    const load = createRequire(require.resolve('@cubejs-backend/schema-compiler'));
    const whole = load('ramda') as object;
    const bundled = load('ramda/dist/ramda.min.js') as object;
    expect(Object.keys(bundled).sort()).toEqual(Object.keys(whole).sort());
    const { version } = load('ramda/package.json') as { version: string };
    expect(readFileSync(load.resolve('ramda/dist/ramda.js'), 'utf8')).toContain(`Ramda v${version}\n`);
    for (const program of ['../model/served-model.js', './engine.js']) {
      const before = program === './engine.js' ? `load('./deferred-parts.js').deferParts();` : '';
      expect(loading(program, before).files.filter((file) => file.includes('/ramda/dist/'))).toHaveLength(1);
    }
  });

  it('reads nothing that a deployment may set: the engine, with what it loads when a query needs it, and not before', () => {
    const { names, files, later } = loading('./engine.js', `load('./deferred-parts.js').deferParts();`);
    expectNothingOfDeployments(names);
    const parts = [
      'schema-compiler/dist/src/index',
      'core/DevServer',
      'chrono-node',
      'graphql',
      'cubestore-driver/dist',
    ];
    const of = (part: string) => (file: string) => file.includes(part);
    expect(parts.filter((part) => files.some(of(part)))).toEqual([]);
    expect(files.filter((file) => FUNCTIONS_OF_RAMDA.test(file))).toEqual([]);
    expect(parts.filter((part) => !later.some(of(part)))).toEqual([]);
  });
});
