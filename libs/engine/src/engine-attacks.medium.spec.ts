import { existsSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmptyDatabase, programsBelow, type TestDatabase } from '@plinth/testing';
import { EngineUnderTest } from './testing/engine-under-test';

const SECRET = 'the password of the source';
const cube = (name: string, sql: string) =>
  `cube('${name}', { sql: ${sql}, measures: { count: { type: 'count' } } });\n`;
/** Runs when a query is planned, and tells by its error what it has got. */
const atQuery = (code: string) =>
  cube(
    'attack',
    `(...given) => { let got; try { got = (${code}); } catch (error) { throw new Error('refused: ' + error.message); } throw new Error('got: ' + String(got)); }`,
  );
const withContext = (code: string) =>
  cube(
    'attack',
    `(SECURITY_CONTEXT, FILTER_PARAMS, SQL_UTILS) => { const given = [SECURITY_CONTEXT, FILTER_PARAMS, SQL_UTILS]; ${code} }`,
  );

/** What leads out of a context if anything does: the host's objects that a model holds, and all that they lead to. */
const WALK = `
  const seen = new Set(), waiting = [], ways = [];
  const visit = (value, way) => {
    if (value === null || !['object', 'function'].includes(typeof value) || seen.has(value) || seen.size > 50000) return;
    seen.add(value);
    waiting.push([value, way]);
  };
  const OUT = ['setFlagsFromString', 'runInThisContext', 'moduleLoadList', '_load', 'readFileSync', 'dlopen', 'execSync'];
  given.forEach((each, index) => visit(each, 'given' + index));
  while (waiting.length > 0) {
    const [value, way] = waiting.pop();
    let keys = [];
    try { visit(Reflect.getPrototypeOf(value), way + '.__proto__'); keys = Reflect.ownKeys(value); } catch {}
    for (const key of keys) {
      if (OUT.includes(key)) ways.push(way + '.' + key);
      let held; try { held = Reflect.getOwnPropertyDescriptor(value, key); } catch {}
      for (const part of ['value', 'get', 'set']) visit(held?.[part], way + '.' + String(key));
    }
  }
  throw new Error('ways: ' + JSON.stringify(ways));`;

let database: TestDatabase;
beforeAll(async () => {
  database = await createEmptyDatabase();
});
afterAll(() => database.drop());

const start = (content: string, configuration?: string) =>
  EngineUnderTest.start({
    model: { 'attack.js': content },
    ...(configuration !== undefined && { configuration }),
    database: database.url,
    variables: { CUBEJS_DS_OTHER_DB_PASS: SECRET },
    // As most engines are started.
    whileWaiting: async () => undefined,
  });

async function attack(content: string, configuration?: string): Promise<string> {
  const engine = await start(content, configuration);
  try {
    const [end] = engine.reports.filter(({ kind }) => ['ready', 'broken', 'failed'].includes(kind));
    if (end?.kind !== 'ready') return JSON.stringify(end);
    const { body } = await engine.load({ measures: ['attack.count'] });
    return body.error ?? JSON.stringify(body.data);
  } finally {
    if (engine.child.exitCode === null) await engine.stop();
  }
}

describe('a model gets nothing from the process that it runs in', () => {
  it.each([
    ['process', 'process.env', 'refused: process is not defined'],
    ['modules', `require('fs').readFileSync('/etc/passwd')`, 'refused: '],
    ['imports', `import('node:fs')`, 'got: [object Promise]'],
    ['machine code', 'new WebAssembly.Module(new Uint8Array([0]))', 'refused: WebAssembly is not defined'],
    ['code from text', `cube.constructor('return process')()`, 'refused: Code generation from strings'],
    ['code from text by what a query brings', `given[0].constructor.constructor('return process')()`, 'refused: '],
  ])('when a query is planned: %s', async (_, code, message) => {
    expect(await attack(atQuery(code))).toContain(message);
  });

  it('nor by anything that a query brings, and all that it leads to', async () => {
    expect(await attack(withContext(WALK))).toContain('ways: []');
  });

  it.each([
    ['modules', `require('node:fs')`, 'may not load node:fs'],
    [
      'its environment',
      `if (Object.keys(process.env).length > 0) throw new Error('got'); throw new Error('empty')`,
      'empty',
    ],
    ['code of the host', `console.log.constructor('return process')()`, 'Code generation from strings'],
  ])('nor in the configuration: %s', async (_, code, message) => {
    expect(await attack(cube('attack', '`SELECT 1 AS a`'), code)).toContain(message);
  });
});

describe('the model process', () => {
  it('has no secret in its environment and arguments, no network, no files of the machine, and no rights', async () => {
    const engine = await start(cube('attack', '`SELECT 1 AS a`'));
    const [pid] = programsBelow(engine.child.pid ?? 0, '/model/main');
    const known = ['environ', 'cmdline'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8')).join();
    expect(known).not.toMatch(/of the source|of this engine/);
    for (const name of ['net', 'mnt', 'pid', 'ipc']) {
      const [own, its] = ['self', pid].map((each) => readlinkSync(`/proc/${each}/ns/${name}`));
      expect(its).not.toBe(own);
    }
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).not.toBe('0');
    expect(/^CapEff:\s+(\w+)/m.exec(status)?.[1]).toMatch(/^0+$/);
    await engine.stop();
  });

  it('reaches no file of an OIDC token, nor is told where it is, and the engine reads it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plinth-token-'));
    const tokenFile = join(folder, 'cube_cloud_token_a');
    writeFileSync(tokenFile, `*:*:*:*:${new URL(database.url).password}`, { mode: 0o600 });
    const engine = await EngineUnderTest.start({
      model: {
        'attack.js': atQuery(`require('node:fs').readFileSync('${tokenFile}', 'utf8')`) + cube('a', '`SELECT 1`'),
      },
      database: database.url,
      // Without a password, PostgreSQL's client looks into the file.
      variables: { CUBEJS_DB_PASS: '' },
      tokenPaths: { PGPASSFILE: tokenFile },
    });
    const [pid = 0] = programsBelow(engine.child.pid ?? 0, '/model/main');
    expect((await engine.load({ measures: ['a.count'] })).status).toBe(200);
    expect((await engine.load({ measures: ['attack.count'] })).body.error).toContain('refused: ');
    expect(existsSync(`/proc/${engine.child.pid}/root${tokenFile}`)).toBe(true);
    expect(existsSync(`/proc/${pid}/root${tokenFile}`)).toBe(false);
    const told = ['environ', 'cmdline'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8')).join();
    expect(told).not.toMatch(/PGPASSFILE|cube_cloud_token/);
    await engine.stop();
    rmSync(folder, { recursive: true });
  });

  it('gets no secret over its input either, nor does the command of the engine have one', async () => {
    const engine = await start(cube('attack', '`SELECT 1 AS a`'));
    const pid = engine.child.pid ?? 0;
    const known = ['environ', 'cmdline'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8')).join();
    expect(known).not.toMatch(/CUBEJS|of the source|of this engine/);
    await engine.stop();
  });
});
