import { existsSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmptyDatabase, programsBelow, type TestDatabase } from '@plinth/testing';
import { EngineUnderTest } from './testing/engine-under-test';
import { withHostedModel } from './testing/hosted-model';

const SECRET = 'the password of the source';
const cube = (name: string, sql: string) =>
  `cube('${name}', { sql: ${sql}, measures: { count: { type: 'count' } } });\n`;
/** Runs when a query is planned, and tells by its error what it has got. */
const atQuery = (name: string, code: string) =>
  cube(
    name,
    `(...given) => { let got; try { got = (${code}); } catch (error) { throw new Error('refused: ' + error.message); } throw new Error('got: ' + String(got)); }`,
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

const folder = mkdtempSync(join(tmpdir(), 'plinth-token-'));
const tokenFile = join(folder, 'cube_cloud_token_a');
/** Each is in the SQL of a cube of the model. */
const attacks = {
  process: ['process.env', 'refused: process is not defined'],
  modules: [`require('fs').readFileSync('/etc/passwd')`, 'refused: '],
  imports: [`import('node:fs')`, 'got: [object Promise]'],
  machine_code: ['new WebAssembly.Module(new Uint8Array([0]))', 'refused: WebAssembly is not defined'],
  code_from_text: [`cube.constructor('return process')()`, 'refused: Code generation from strings'],
  code_from_text_by_what_a_query_brings: [`given[0].constructor.constructor('return process')()`, 'refused: '],
} as const;
const model = {
  ...Object.fromEntries(
    Object.entries(attacks).map(([name, [code]]) => [`at_${name}.js`, atQuery(`at_${name}`, code)]),
  ),
  'walk.js': cube(
    'walk',
    `(SECURITY_CONTEXT, FILTER_PARAMS, SQL_UTILS) => { const given = [SECURITY_CONTEXT, FILTER_PARAMS, SQL_UTILS]; ${WALK} }`,
  ),
  'token.js': atQuery('token', `require('node:fs').readFileSync('${tokenFile}', 'utf8')`),
  'fine.js': cube('fine', '`SELECT 1 AS a`'),
};

let database: TestDatabase;
let engine: EngineUnderTest;
beforeAll(async () => {
  database = await createEmptyDatabase();
  writeFileSync(tokenFile, `*:*:*:*:${new URL(database.url).password}`, { mode: 0o600 });
  engine = await EngineUnderTest.start({
    model,
    database: database.url,
    // Without a password, PostgreSQL's client looks into the file.
    variables: { CUBEJS_DS_OTHER_DB_PASS: SECRET, CUBEJS_DB_PASS: '' },
    tokenPaths: { PGPASSFILE: tokenFile },
    // As most engines are started.
    whileWaiting: async () => undefined,
  });
});
afterAll(async () => {
  await engine.stop();
  await database.drop();
  rmSync(folder, { recursive: true });
});

const attack = async (name: string): Promise<string> => {
  const { body } = await engine.load({ measures: [`${name}.count`] });
  return body.error ?? JSON.stringify(body.data);
};
const knownOf = (pid: number) =>
  ['environ', 'cmdline'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8')).join();
const modelProcess = () => programsBelow(engine.child.pid ?? 0, '/model/main')[0] ?? 0;

describe('a model gets nothing from the process that it runs in', () => {
  it.each(Object.entries(attacks))('when a query is planned: %s', async (name, [, message]) => {
    expect(await attack(`at_${name}`)).toContain(message);
  });

  it('nor by anything that a query brings, and all that it leads to', async () => {
    expect(await attack('walk')).toContain('ways: []');
  });

  it('nor in the configuration: modules, its environment, code of the host', async () => {
    const tried = [
      `require('node:fs')`,
      'Object.keys(process.env).length',
      `console.log.constructor('return process')()`,
    ];
    const configuration = `const told = [${tried.map((code) => `() => ${code}`).join()}].map((attack) => {
        try { return 'got: ' + attack(); } catch (error) { return 'refused: ' + error.message; }
      });
      throw new Error(JSON.stringify(told));`;
    const outcome = withHostedModel({ model: { 'fine.js': model['fine.js'] }, configuration }, () => undefined);
    const { message } = await outcome.then(
      () => Promise.reject(new Error('It has not told what came of it')),
      (error: Error) => error,
    );
    expect(JSON.parse(message)).toEqual([
      expect.stringMatching(/^refused: .*may not load node:fs/),
      'got: 0',
      expect.stringMatching(/^refused: Code generation from strings/),
    ]);
  });
});

describe('the model process', () => {
  it('has no secret in its environment and arguments, no network, no files of the machine, and no rights', () => {
    const pid = modelProcess();
    expect(knownOf(pid)).not.toMatch(/of the source|of this engine/);
    for (const name of ['net', 'mnt', 'pid', 'ipc']) {
      const [own, its] = ['self', pid].map((each) => readlinkSync(`/proc/${each}/ns/${name}`));
      expect(its).not.toBe(own);
    }
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).not.toBe('0');
    expect(/^CapEff:\s+(\w+)/m.exec(status)?.[1]).toMatch(/^0+$/);
  });

  it('reaches no file of an OIDC token, nor is told where it is, and the engine reads it', async () => {
    expect((await engine.load({ measures: ['fine.count'] })).status).toBe(200);
    expect(await attack('token')).toContain('refused: ');
    expect(existsSync(`/proc/${engine.child.pid}/root${tokenFile}`)).toBe(true);
    expect(existsSync(`/proc/${modelProcess()}/root${tokenFile}`)).toBe(false);
    expect(knownOf(modelProcess())).not.toMatch(/PGPASSFILE|cube_cloud_token/);
  });

  it('gets no secret over its input either, nor does the command of the engine have one', () => {
    expect(knownOf(engine.child.pid ?? 0)).not.toMatch(/CUBEJS|of the source|of this engine/);
  });
});
