import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
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
`,
};
const variables = { CUBEJS_DB_QUERY_DEFAULT_LIMIT: '4', CUBEJS_CONVERT_TZ_FOR_RAW_TIME_DIMENSION: 'true' };
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

/** What the settings of a deployment decide, in both processes. */
async function seen(engine: EngineUnderTest): Promise<unknown> {
  const query = { dimensions: ['numbers.a', 'numbers.at'], timezone: 'Asia/Tokyo' };
  const [loaded, sql] = await Promise.all([
    engine.load({ dimensions: ['numbers.a'] }),
    engine.ask('/cubejs-api/v1/sql', { body: { query } }),
  ]);
  return { data: loaded.body.data, sql: (sql.body as { sql: { sql: unknown } }).sql.sql };
}

describe('an engine that has waited for its order', () => {
  it('starts no model in a process that has died meanwhile', async () => {
    const whileWaiting = async (engine: EngineUnderTest) => {
      const [pid = 0] = await aModelProcess(engine);
      process.kill(pid, 'SIGKILL');
      await until(
        'its end',
        () => modelProcesses(engine),
        (pids) => pids.length === 0,
      );
    };
    const engine = await start({ whileWaiting });
    expect((await engine.load({ measures: ['numbers.count'] })).body.data).toEqual([{ 'numbers.count': '9' }]);
  });

  it('serves by the variables of its order, in the process that has waited, as one that has not', async () => {
    let waited: number[] = [];
    const whileWaiting = async (engine: EngineUnderTest) => {
      waited = await aModelProcess(engine);
    };
    const [prepared, other, without] = await Promise.all([
      start({ variables, whileWaiting }),
      start({ variables }),
      start(),
    ]);
    const [found, expected, unset] = await Promise.all([prepared, other, without].map((each) => seen(each)));
    expect(found).toEqual(expected);
    expect(found).toMatchObject({ data: [1, 2, 3, 4].map((a) => ({ 'numbers.a': a })) });
    expect((found as { sql: unknown }).sql).not.toEqual((unset as { sql: unknown }).sql);
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
  /** Names of all variables that are read while a program of the engine is loaded. */
  function readWhileLoading(program: string): string[] {
    const { args } = engineCommand(128);
    const file = join(dirname(args.at(-1) ?? ''), program);
    const script = `const names = new Set();
      const env = new Proxy({ NODE_ENV: 'production' }, { get: (known, name) => (names.add(name), known[name]) });
      Object.defineProperty(process, 'env', { value: env });
      require(${JSON.stringify(file)});
      // Programs keep their output for themselves.
      require('node:fs').writeSync(1, JSON.stringify([...names].filter((name) => typeof name === 'string')));
      process.exit();`;
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { env: {}, encoding: 'utf8' });
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as string[];
  }

  it.each(['engine.js', '../model/served-model.js'])('reads nothing that a deployment may set: %s', (program) => {
    const names = readWhileLoading(program);
    const { engine } = selectVariables(Object.fromEntries(names.map((name) => [name, '-----BEGIN '])));
    expect(names).toContain('NODE_ENV');
    expect(engine).toEqual({});
    expect(names.filter((name) => /^(?:AWS|AZURE|GOOGLE|PG)/.test(name))).toEqual([]);
  });
});
