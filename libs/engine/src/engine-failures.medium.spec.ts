import { readFileSync } from 'node:fs';
import { boundMs, deadlineMs, isRunning, programsBelow, until } from '@plinth/testing';
import { EngineSuite } from './testing/engine-suite';
import type { EngineSettings, EngineUnderTest } from './testing/engine-under-test';

const cube = (name: string, sql: string, dataSource = 'default') =>
  `cube('${name}', { sql: ${sql}, dataSource: '${dataSource}', measures: { count: { type: 'count' } } });\n`;
const model = {
  'fine.js': cube('fine', '`SELECT 1 AS a`'),
  'loops.js': cube('loops', '() => { for (;;); }'),
  'eats.js': cube('eats', '() => { const all = []; for (;;) all.push(new Array(1e6).fill(all.length)); }'),
  'throws.js': cube('throws', `() => { throw new Error('the model says no'); }`),
  'leaves.js': cube('leaves', `() => { Promise.resolve().then(() => { for (;;); }); return 'SELECT 1 AS a'; }`),
  'held.js': cube('held', '`SELECT pg_advisory_xact_lock_shared(1) IS NULL AS a`'),
  'slow.js': cube('slow', '`SELECT pg_sleep(600) AS a`'),
  'absent.js': cube('absent', '`SELECT 1 AS a`', 'absent'),
  'strange.js': cube('strange', '`SELECT 1 AS a`', 'strange'),
};
const ask = (name: string) => ({ measures: [`${name}.count`] });
/** After which the queue of the engine would end a query by itself that nobody asks for any more. */
const ORPHANED_MS = 25_000;
/** A processor burns for all of it. */
const LIMIT_MS = 1_000 * Math.min(6, Math.ceil(deadlineMs(1_500) / 1_000));
const LATE = `The data model took longer than ${LIMIT_MS / 1_000} s and was stopped`;
/** Of a query that is too long. */
const QUERY_MS = 1_000;
/** A hundredth of a second of the processor each: more than a query takes to be planned. */
const LOOP_TICKS = 50;
const modelProcesses = (engine: number) => programsBelow(engine, '/model/main');

let suite: EngineSuite;
const start = (settings: Partial<EngineSettings> = {}) => suite.start(settings);
let engine: EngineUnderTest;
beforeAll(async () => {
  suite = await EngineSuite.open(model);
  engine = await start({ limits: { modelCallMs: LIMIT_MS, modelMemoryBytes: 96 << 20 } });
});
afterAll(() => suite.close());

describe('model code that', () => {
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
});

describe('an engine with several data sources', () => {
  const SECRET = 'hush-hush';
  let several: EngineUnderTest;
  beforeAll(async () => {
    const port = new URL(suite.url).port;
    several = await start({
      limits: { queryMs: QUERY_MS },
      variables: {
        CUBEJS_DATASOURCES: 'default,absent,strange',
        ...{
          CUBEJS_DS_ABSENT_DB_TYPE: 'postgres',
          CUBEJS_DS_ABSENT_DB_HOST: '127.0.0.1',
          CUBEJS_DS_ABSENT_DB_PORT: '1',
        },
        ...{ CUBEJS_DS_ABSENT_DB_USER: 'u', CUBEJS_DS_ABSENT_DB_NAME: 'd', CUBEJS_DS_ABSENT_DB_PASS: SECRET },
        ...{ CUBEJS_DS_STRANGE_DB_TYPE: 'postgres', CUBEJS_DS_STRANGE_DB_HOST: '127.0.0.1' },
        ...{ CUBEJS_DS_STRANGE_DB_PORT: port, CUBEJS_DS_STRANGE_DB_NAME: 'postgres' },
        ...{ CUBEJS_DS_STRANGE_DB_USER: SECRET, CUBEJS_DS_STRANGE_DB_PASS: SECRET },
      },
    });
  });
  const told = () => JSON.stringify(several.reports);

  it('says that one cannot be reached, without its password', async () => {
    const { status, text } = await several.load(ask('absent'));
    expect(status).toBe(400);
    expect(text).toMatch(/ECONNREFUSED/);
    expect(text + told()).not.toMatch(/hush-hush|\bat .*\.js/);
  });

  it('hides its secrets in what one says', async () => {
    const { status, text } = await several.load(ask('strange'));
    expect([status, text]).toEqual([400, expect.stringContaining('[HIDDEN]')]);
    expect(text + told()).not.toContain(SECRET);
  });

  it('ends a query that takes too long, at the source', async () => {
    const { status, body } = await several.load(ask('slow'));
    expect([status, body.error]).toEqual([400, expect.stringMatching(/timeout/)]);
    await suite.runs('pg_sleep', 0);
  });
});

describe('an engine ends', () => {
  it('and takes its model process with it when it is killed, even one that loops', async () => {
    const killed = await start();
    const processes = modelProcesses(killed.child.pid ?? 0);
    const before = cpuTicks(processes[0] ?? 0);
    void killed.load(ask('loops')).catch(() => undefined);
    await until(
      'a loop',
      () => cpuTicks(processes[0] ?? 0) - before,
      (ticks) => ticks > LOOP_TICKS,
    );
    killed.child.kill('SIGKILL');
    await killed.exited;
    await until(
      'the end of the model process',
      () => processes.filter(isRunning),
      (left) => left.length === 0,
    );
    expect(processes).toHaveLength(1);
  });

  it('when it is told to, once it has answered what it has', async () => {
    const told = await start();
    await suite.admin.query('select pg_advisory_lock(1)');
    const held = told.load(ask('held'));
    await suite.runs('pg_advisory_xact_lock_shared', 1);
    told.child.kill('SIGTERM');
    await suite.admin.query('select pg_advisory_unlock(1)');
    expect((await held).body.data).toEqual([{ 'held.count': '1' }]);
    expect(await told.exited).toEqual([0, null]);
  });

  it('when its parent does, and connects before to no address that the egress rules refuse', async () => {
    const orphan = await start({ privateAddresses: false });
    const { status, body } = await orphan.load(ask('fine'));
    expect([status, body.error]).toEqual([400, expect.stringContaining('its network must not be used')]);
    orphan.child.stdin.end();
    expect(await orphan.exited).toEqual([0, null]);
  });

  it('when its model does not compile, and says file and line', async () => {
    const broken = await start({
      model: {
        'bad.js': `cube('a', {\n  sql: \`x\`,\n  measures: { b: { sql: CUBE.nothing.more.there(), type: 'sum' } },\n})`,
      },
    });
    expect(broken.reports).toContainEqual({
      kind: 'broken',
      problems: [expect.objectContaining({ fileName: 'model/bad.js', line: 3 })],
    });
    expect(await broken.exited).toEqual([1, null]);
  });

  it('when it has no driver for a type of database, and names what is missing', async () => {
    const without = await start({ variables: { CUBEJS_DB_TYPE: 'mysql' } });
    expect(without.reports).toContainEqual({ kind: 'failed', message: expect.stringContaining('mysql-driver') });
    expect(await without.exited).toEqual([1, null]);
  });
});

const cpuTicks = (pid: number) => Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[11]);
