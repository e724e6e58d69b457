import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { boundMs, deadlineMs, isRunning, programsBelow, until } from '@plinth/testing';
import { EngineSuite } from './testing/engine-suite';
import type { EngineSettings, EngineUnderTest } from './testing/engine-under-test';

const cube = (name: string, sql: string) =>
  `cube('${name}', { sql: ${sql}, measures: { count: { type: 'count' } } });\n`;
const model = {
  'fine.js': cube('fine', '`SELECT 1 AS a`'),
  'loops.js': cube('loops', '() => { for (;;); }'),
  'eats.js': cube('eats', '() => { const all = []; for (;;) all.push(new Array(1e6).fill(all.length)); }'),
  'throws.js': cube('throws', `() => { throw new Error('the model says no'); }`),
  'leaves.js': cube('leaves', `() => { Promise.resolve().then(() => { for (;;); }); return 'SELECT 1 AS a'; }`),
  'brief.js': cube('brief', '`SELECT pg_sleep(2) AS a`'),
  'slow.js': cube('slow', '`SELECT pg_sleep(600) AS a`'),
};
const ask = (name: string) => ({ measures: [`${name}.count`] });
/** After which the queue of the engine would end a query by itself that nobody asks for any more. */
const ORPHANED_MS = 25_000;
/** A processor burns for all of it. */
const LIMIT_MS = 1_000 * Math.min(6, Math.ceil(deadlineMs(3_000) / 1_000));
const LATE = `The data model took longer than ${LIMIT_MS / 1_000} s and was stopped`;
const modelProcesses = (engine: number) => programsBelow(engine, '/model/main');

let suite: EngineSuite;
const start = (settings: Partial<EngineSettings> = {}) => suite.start(settings);
beforeAll(async () => {
  suite = await EngineSuite.open(model);
});
afterAll(() => suite.close());

describe('what a build has made of a model', () => {
  const content = 'cubes:\n  - { name: plain, sql: SELECT 1 AS a, measures: [{ name: count, type: count }] }\n';
  const hash = createHash('md5').update(content).digest('hex');
  const answerWith = async (code: string) => {
    const engine = await start({ model: { 'plain.yml': content }, transpiled: [[hash, code]] });
    const { body } = await engine.load(ask('plain'));
    return { data: body.data, again: engine.reports.some(({ kind }) => kind === 'transpiled') };
  };

  it.each([
    ['that is no code', 'cube('],
    ['that throws', 'throw new Error(`no`)'],
    ['that is of a broken model', 'cube(`plain`, { nonsense: 1 })'],
  ])('costs time and nothing else when it is something %s', async (_what, code) => {
    expect(await answerWith(code)).toEqual({ data: [{ 'plain.count': '1' }], again: true });
  });

  it('is used as it is', async () => {
    const sound = 'cube(`plain`, { sql: `SELECT 1 UNION SELECT 2`, measures: { count: { type: `count` } } });';
    expect(await answerWith(sound)).toEqual({ data: [{ 'plain.count': '2' }], again: false });
  });
});

describe('a model that a build has found sound', () => {
  const files = {
    'a.yml': `cubes:
  - name: a
    sql: SELECT 1 AS id, 'x' AS b
    joins: [{ name: c, sql: '{CUBE}.id = {c.id}', relationship: many_to_one }]
    dimensions: [{ name: id, sql: id, type: number, primary_key: true }, { name: b, sql: b, type: string }]
    measures: [{ name: count, type: count }]
    access_policy: [{ group: '*', member_level: { excludes: [b] } }]
  - name: c
    sql: SELECT 1 AS id
    dimensions: [{ name: id, sql: id, type: number, primary_key: true }]
views:
  - name: v
    cubes: [{ join_path: a, includes: '*' }, { join_path: a.c, includes: '*', prefix: true }]
`,
  };
  const unsound = cube('wrong', '`SELECT 1 AS a`').replace('measures', 'nonsense: 1, measures');
  const described = async (settings: Partial<EngineSettings>) => {
    const engine = await start(settings);
    const answers = await Promise.all([
      engine.ask('/cubejs-api/v1/meta'),
      engine.ask('/cubejs-api/v1/sql', { body: { query: { measures: ['v.count'], dimensions: ['v.c_id'] } } }),
      engine.load({ dimensions: ['a.b'] }),
    ]);
    return answers.map(({ status, text }) => [status, text.replace(/[0-9a-f-]{36}(?:-span-\d+)?/g, '')]);
  };

  it('is served as one that is checked', async () => {
    const checked = await described({ model: files, checked: true });
    expect(checked).toEqual(await described({ model: files }));
    expect(checked.map(([status]) => status)).toEqual([200, 200, 400]);
  });

  it('is checked for all that where it depends on who asks, and not otherwise', async () => {
    const fixed = await start({ model: { 'a.js': unsound }, checked: true });
    const personal = await start({ model: { 'a.js': `${unsound}// COMPILE_CONTEXT` }, checked: true });
    expect([fixed, personal].map(({ reports }) => reports.at(-1)?.kind)).toEqual(['ready', 'broken']);
  });
});

describe('model code that', () => {
  let engine: EngineUnderTest;
  beforeAll(async () => {
    engine = await start({ limits: { modelCallMs: LIMIT_MS, modelMemoryBytes: 96 << 20 } });
  });
  // Each is followed by somebody else's query, which must not notice.
  afterEach(async () => {
    expect((await engine.load(ask('fine'), { user: Math.random() })).body.data).toEqual([{ 'fine.count': '1' }]);
  });

  it('loops fails its query, and others that wait meanwhile go on', async () => {
    const [late, fine] = await Promise.all([
      engine.load(ask('loops')),
      engine.load({ ...ask('fine'), timezone: 'Asia/Tokyo' }),
    ]);
    expect([late.status, late.body.error]).toEqual([400, LATE]);
    expect(fine.body.data).toEqual([{ 'fine.count': '1' }]);
  });

  it('eats memory fails its query, with a sentence that says so', async () => {
    const { status, body } = await engine.load(ask('eats'));
    expect([status, body.error]).toEqual([400, 'The data model needs more than 96 MiB of memory and was stopped']);
  });

  it('throws fails its query with what it says, and without a stack', async () => {
    const { status, text } = await engine.load(ask('throws'));
    expect(status).toBe(400);
    expect(text).toContain('the model says no');
    expect(text).not.toMatch(/\bat .*:\d+|stack/);
  });

  it('leaves something running fails its query, and no other', async () => {
    const { status, body } = await engine.load(ask('leaves'));
    expect([status, body.error]).toEqual([400, LATE]);
  });
});

describe('an engine that loses a part', () => {
  let engine: EngineUnderTest;
  beforeAll(async () => {
    engine = await start();
  });

  it('goes on when its model process is killed, and fails no query for it', async () => {
    const [pid] = modelProcesses(engine.child.pid ?? 0);
    const answers = Promise.all(
      [1, 2, 3, 4].map((limit) => engine.load({ ...ask('fine'), limit, timezone: 'Europe/Paris' })),
    );
    process.kill(Number(pid), 'SIGKILL');
    expect((await answers).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await until(
      'another process',
      () => modelProcesses(engine.child.pid ?? 0),
      ([now]) => now !== undefined && now !== pid,
    );
    expect((await engine.load({ ...ask('fine'), timezone: 'Asia/Tokyo' })).status).toBe(200);
  });

  it('cancels at the source what nobody waits for any more, and only that', async () => {
    const [leaver, other] = [new AbortController(), new AbortController()];
    const load = (signal: AbortSignal) =>
      engine.ask('/cubejs-api/v1/load', { body: { query: ask('slow') }, signal }).catch(() => undefined);
    const all = [load(leaver.signal), load(other.signal)];
    await suite.runs('pg_sleep', 1);
    leaver.abort();
    await engine.reported((report) => report.kind === 'query' && report.failed);
    expect(await suite.running('pg_sleep')).toBe(1);
    other.abort();
    const left = performance.now();
    await suite.runs('pg_sleep', 0);
    expect(performance.now() - left).toBeLessThan(boundMs(ORPHANED_MS));
    await Promise.all(all);
  });

  it('answers what it has before it ends, when it is told to', async () => {
    const brief = engine.load(ask('brief'));
    await suite.runs('pg_sleep', 1);
    engine.child.kill('SIGTERM');
    expect((await brief).body.data).toEqual([{ 'brief.count': '1' }]);
    expect(await engine.exited).toEqual([0, null]);
  });
});

describe('an engine', () => {
  it('takes its model process with it when it is killed, even one that loops', async () => {
    const engine = await start();
    const processes = modelProcesses(engine.child.pid ?? 0);
    void engine.load(ask('loops')).catch(() => undefined);
    await until(
      'a loop',
      () => cpuTicks(processes[0] ?? 0),
      (ticks) => ticks > 150,
    );
    engine.child.kill('SIGKILL');
    await engine.exited;
    await until(
      'the end of the model process',
      () => processes.filter(isRunning),
      (left) => left.length === 0,
    );
    expect(processes).toHaveLength(1);
  });

  it('ends when its parent does', async () => {
    const engine = await start();
    engine.child.stdin.end();
    expect(await engine.exited).toEqual([0, null]);
  });

  it('says file and line of a model that does not compile, and ends', async () => {
    const engine = await start({
      model: {
        'bad.js': `cube('a', {\n  sql: \`x\`,\n  measures: { b: { sql: CUBE.nothing.more.there(), type: 'sum' } },\n})`,
      },
    });
    expect(engine.reports).toContainEqual({
      kind: 'broken',
      problems: [expect.objectContaining({ fileName: 'model/bad.js', line: 3 })],
    });
    expect(await engine.exited).toEqual([1, null]);
  });

  it('names what is missing for a type of database, and ends', async () => {
    const engine = await start({ variables: { CUBEJS_DB_TYPE: 'mysql' } });
    expect(engine.reports).toContainEqual({ kind: 'failed', message: expect.stringContaining('mysql-driver') });
    expect(await engine.exited).toEqual([1, null]);
  });

  it('says that the database cannot be reached, without its password', async () => {
    const engine = await start({ variables: { CUBEJS_DB_PORT: '1', CUBEJS_DB_PASS: 'hush-hush' } });
    const { status, text } = await engine.load(ask('fine'));
    expect(status).toBe(400);
    expect(text).toMatch(/ECONNREFUSED/);
    expect(JSON.stringify([text, engine.reports])).not.toMatch(/hush-hush|\bat .*\.js/);
  });

  it('hides its secrets in what the database says', async () => {
    const engine = await start({ variables: { CUBEJS_DB_USER: 'hush-hush', CUBEJS_DB_PASS: 'hush-hush' } });
    const { status, text } = await engine.load(ask('fine'));
    expect([status, text]).toEqual([400, expect.stringContaining('[HIDDEN]')]);
    expect(JSON.stringify([text, engine.reports])).not.toContain('hush-hush');
  });

  it('connects to no address that the egress rules refuse', async () => {
    const engine = await start({ privateAddresses: false });
    const { status, body } = await engine.load(ask('fine'));
    expect([status, body.error]).toEqual([400, expect.stringContaining('its network must not be used')]);
  });

  it('ends a query that takes too long, at the source', async () => {
    const engine = await start({ limits: { queryMs: 1_000 } });
    const { status, body } = await engine.load(ask('slow'));
    expect([status, body.error]).toEqual([400, expect.stringMatching(/timeout/)]);
    await suite.runs('pg_sleep', 0);
  });
});

const cpuTicks = (pid: number) => Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[11]);
