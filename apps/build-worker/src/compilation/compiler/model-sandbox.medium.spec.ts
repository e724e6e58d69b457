import { randomUUID } from 'node:crypto';
import { Sandbox } from '@plinth/sandbox';
import { deadlineMs } from '@plinth/testing';
import type { ModelFile } from './compile-result';
import { CompilerUnavailable } from './compiler-crash';
import { ModelCompiler } from './model-compiler';
import { ownerCalled } from './testing/owner';

let sandbox: Sandbox;
let compiler: ModelCompiler;
let patient: ModelCompiler;
beforeAll(async () => {
  sandbox = await Sandbox.open();
  // Two children, so that the neighbour keeps the one that it has while others lose theirs.
  compiler = new ModelCompiler(sandbox, { timeoutMs: LIMIT_MS, memoryMb: 160, poolSize: 2, spares: 0 });
  patient = new ModelCompiler(sandbox, { timeoutMs: 100_000, memoryMb: 160, poolSize: 1, spares: 0 });
});
afterAll(() => Promise.all([compiler.close(), patient.close()]));

const FINE = { valid: true, errors: [], cubesCount: 1 };
/** A processor burns for all of it, many times. */
const LIMIT_MS = Math.min(4_000, deadlineMs(1_500));
const LATE = `Compilation took longer than ${LIMIT_MS / 1_000} s and was stopped`;

const script = (name: string, content: string): ModelFile => ({ path: `model/${name}.js`, content });
const fine = (name: string): ModelFile => script(name, `cube('${name}', { sql_table: 't' })`);
const run = (content: string, owner: string = randomUUID()) =>
  compiler.compile([script('a', content)], { owner: ownerCalled(owner) });
/** The model's code between other scripts, so that the file is not named because it is the only one. */
const runAmong = (content: string, by?: ModelCompiler) =>
  (by ?? compiler).compile([fine('first'), script('cubes/bad', content), fine('last')], {
    owner: ownerCalled(randomUUID()),
  });
const refused = (message: unknown, line?: number) => ({
  valid: false,
  errors: [{ message, fileName: 'model/a.js', ...(line === undefined ? {} : { line }) }],
  cubesCount: 0,
});
const aborted = (message: unknown, fileName = 'model/cubes/bad.js') => ({
  valid: false,
  errors: [expect.objectContaining({ message, fileName })],
  cubesCount: 0,
  aborted: true,
});

// Each is followed by a model of somebody else, which must not notice.
afterEach(async () => {
  expect(await run(`cube('fine', { sql_table: 't' })`, 'neighbour')).toEqual(FINE);
});

describe('a data model that loops for ever is stopped and its file named, when it does so', () => {
  it.each<[string, string]>([
    ['in a script', 'for (;;) {}'],
    [
      'in a function of a cube',
      `cube('bad', { sql_table: 't', measures: { a: { type: 'count', drillMembers: () => { for (;;) {} } } } })`,
    ],
    ['in an asynchronous module', 'asyncModule(async () => { for (;;) {} })'],
    ['after waiting', 'asyncModule(async () => { await null; for (;;) {} })'],
    ['by waiting for nothing', 'asyncModule(async () => { for (;;) await 0; })'],
  ])('%s', async (_, content) => {
    expect(await runAmong(content)).toEqual(aborted(LATE));
  });

  it('in a template', async () => {
    const files = [
      { path: 'model/first.yml', content: 'cubes:\n{% for a in [] %}{% endfor %}' },
      {
        path: 'model/bad.yml',
        content: 'cubes:\n{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}',
      },
    ];
    expect(await compiler.compile(files, { owner: ownerCalled(randomUUID()) })).toEqual(aborted(LATE, 'model/bad.yml'));
  });

  it('in a callback that nobody awaits, once all else is done', async () => {
    const loop = 'const loop = async () => { for (;;) await null; }; asyncModule(async () => void loop())';
    expect(await run(loop)).toEqual(aborted(LATE, 'model/a.js'));
  });
});

describe('a data model that allocates without end is stopped and its file named, when it fills', () => {
  it('the heap', async () => {
    expect(await runAmong('const all = []; for (;;) all.push(new Array(1e5).fill(all.length));', patient)).toEqual(
      aborted('Compilation needs more than 160 MiB of memory'),
    );
  });

  it('buffers outside the heap', async () => {
    expect(await runAmong('const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1));', patient)).toEqual(
      aborted(expect.stringMatching(/needs more (?:than 160 MiB of memory|memory than it may have)/)),
    );
  });
});

describe('a data model that', () => {
  it('waits for what never comes is told so', async () => {
    expect(await runAmong('asyncModule(() => new Promise(() => {}))')).toEqual(
      aborted('The data model waits for something that never happens'),
    );
  });

  it('names process finds none', async () => {
    expect(await run('process.exit(1)', 'prober')).toEqual(refused('process is not defined', 1));
  });

  it.each(['fs', 'node:fs', 'child_process', 'net', '../../../etc/passwd', '/etc/passwd'])(
    'requires %s is refused',
    async (name) => {
      const code = `require(${JSON.stringify(name)}).readFileSync('/etc/passwd')`;
      expect(await run(code, 'prober')).toEqual(refused(expect.stringMatching(/not found|restricted/), 1));
    },
  );

  it.each([
    `cube.constructor('return process')()`,
    `cube.constructor.prototype.__proto__.constructor.constructor('return process')()`,
    `COMPILE_CONTEXT.constructor.constructor('return process')()`,
  ])('turns text into code as %s is refused', async (code) => {
    expect(await run(code, 'prober')).toEqual(refused(expect.stringContaining('Code generation from strings'), 1));
  });

  it('imports a module at run time is refused', async () => {
    const { errors } = await run(`asyncModule(async () => { await import('node:fs'); })`, 'prober');
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringMatching(/dynamic import callback/) })]);
  });

  it('throws where nobody catches it is told so', async () => {
    const result = await run(`asyncModule(async () => void Promise.reject(new Error('lost')))`, 'prober');
    expect(result).toEqual(refused('lost', 1));
  });

  it('leaves a loop behind for the next compilation costs its owner a child, and nothing else', async () => {
    const trap = 'cube.constructor.prototype.__proto__.constructor.keys = () => { for (;;) {} };';
    await run(`cube('a', { sql_table: 't' }); asyncModule(async () => { ${trap} })`, 'first');
    expect(await run(`cube('a', { sql_table: 't' })`, 'first')).toEqual(FINE);
  });

  it('changes what the compiler gives to models is met by no other owner', async () => {
    const poison = `require('Reflection').__proto__.stolen = 1; cube('a', { sql_table: 't' })`;
    const probe = `if (require('Reflection').stolen) throw new Error('found'); cube('a', { sql_table: 't' })`;
    await run(poison, 'first');
    expect(await run(probe, 'first')).toEqual(refused('found', 1));
    expect(await run(probe, 'second')).toEqual(FINE);
  });
});

/** What leads out of a context if anything does: the host's objects that a model holds, and all that they lead to. */
const WALK = `
  const seen = new Set(), waiting = [], ways = [];
  const visit = (value, way) => {
    if (value === null || !['object', 'function'].includes(typeof value) || seen.has(value)) return;
    seen.add(value);
    waiting.push([value, way]);
  };
  const given = { cube, view, context, view_group, addExport, setExport, asyncModule, require, COMPILE_CONTEXT };
  for (const name of Object.keys(given)) visit(given[name], name);
  for (const name of ['Reflection', 'Funnels', 'RefreshKeys']) visit(require(name), name);
  try { require('fs'); } catch (error) { visit(error, 'error'); }
  const OUT = ['allowNodeRequire', 'setFlagsFromString', 'runInThisContext', 'moduleLoadList', '_load', 'readFileSync', 'dlopen'];
  while (waiting.length > 0) {
    const [value, way] = waiting.pop();
    visit(Reflect.getPrototypeOf(value), way + '.__proto__');
    for (const key of Reflect.ownKeys(value)) {
      if (OUT.includes(key)) ways.push(way + '.' + key);
      const held = Reflect.getOwnPropertyDescriptor(value, key);
      for (const part of ['value', 'get', 'set']) visit(held[part], way + '.' + String(key));
    }
  }`;

describe('a data model that reaches for the compiler', () => {
  const PLANT = `cube.__proto__.__proto__.evil = function (cubeFactory, compiler) { compiler.allowNodeRequire = true; };`;
  const harm = (code: string) => `${code}; throw new Error('harm');`;

  it.each<[string, string, unknown]>([
    ['plants an extension where all objects inherit it', `${PLANT} require('evil')`, `Package 'evil' not found`],
    ['takes what all objects inherit for an extension', `require('constructor')`, `Package 'constructor' not found`],
    [
      'wants the modules of Node from the compiler that an extension has',
      `require('Reflection').compiler.allowNodeRequire = true; require('v8')`,
      `Package 'v8' not found`,
    ],
    [
      'makes a compiler of its own',
      `new (require('Reflection').compiler.constructor)({}, { allowNodeRequire: true })`,
      expect.stringMatching(/is not a constructor/),
    ],
    [
      'sets flags of V8 that trace to files',
      `require('Reflection').compiler.allowNodeRequire = true; require('v8').setFlagsFromString('--trace-turbo')`,
      `Package 'v8' not found`,
    ],
    ['has machine code made', `new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))`, /not defined/],
  ])('and %s is refused', async (_, code, message) => {
    const expected = message instanceof RegExp ? expect.stringMatching(message) : message;
    expect(await run(harm(code), 'attacker')).toEqual(refused(expected, 1));
  });

  it.each([
    ['what all objects inherit', 'cube.__proto__.__proto__.planted = true', 'cube.planted'],
    ['what all functions inherit', 'cube.__proto__.planted = true', 'cube.planted'],
    ['a function of the language', `Host.keys = () => ['planted']`, `Host.keys({})[0] === 'planted'`],
    ['a getter', `Host.defineProperty(Host.prototype, 'planted', { get: () => 1 })`, 'cube.planted'],
    ['its errors', `HostError.captureStackTrace = () => 'planted'`, `HostError.captureStackTrace({}) === 'planted'`],
    ['what lists inherit', `Host.keys({}).__proto__.planted = true`, 'Host.keys({}).planted'],
  ])('cannot change %s', async (_, change, changed) => {
    const known = `const Host = cube.__proto__.__proto__.constructor;
      const HostError = (() => { try { require('fs'); } catch (error) { return Host.getPrototypeOf(error.constructor); } })();`;
    const content = `${known} try { ${change} } catch {} if (${changed}) throw new Error('changed'); cube('a', { sql_table: 't' })`;
    expect(await run(content, 'attacker')).toEqual(FINE);
  });

  it('finds no way to it, nor to the modules of Node, from anything that it is given', async () => {
    expect(await run(`${WALK} throw new Error(JSON.stringify(ways));`, 'attacker')).toEqual(
      refused('[]', expect.any(Number)),
    );
  });

  it('sees none of its frames in a stack', async () => {
    const sites = `const look = (error, sites) => sites;
      try { Error.prepareStackTrace = look; } catch {}
      try { globalThis.Error = { prepareStackTrace: look }; } catch {}
      try { Object.defineProperty(globalThis, 'Error', { value: { prepareStackTrace: look } }); } catch {}
      let stack;
      try { null.x; } catch (error) { stack = error.stack; }
      if (typeof stack !== 'string') throw new TypeError('seen'); cube('a', { sql_table: 't' })`;
    expect(await run(sites, 'attacker')).toEqual(FINE);
  });
});

describe('a tenant whose models loop', () => {
  it('in several deployments leaves room for another tenant, whose model compiles meanwhile', async () => {
    const shared = new ModelCompiler(sandbox, { timeoutMs: 10_000, poolSize: 2, spares: 0 });
    const loop = script('a', 'asyncModule(async () => { for (;;) await 0; })');
    const loops = Array.from({ length: 4 }, (_, index) =>
      shared.compile([loop], { owner: { ...ownerCalled('busy'), deploymentId: index } }),
    );
    const first = Promise.race(
      loops.map((loop) =>
        loop.then(
          () => 'a loop ended',
          () => 'closed',
        ),
      ),
    );
    const other = shared.compile([fine('a')], { owner: ownerCalled('other') });
    expect(await Promise.race([first, other])).toEqual(FINE);
    await shared.close();
    await Promise.allSettled(loops);
  });
});

describe('a child', () => {
  it('that compiled what one person may change alone serves neither the shared branches nor another person', async () => {
    const one = ownerCalled('one');
    const mark = script('a', `require('Reflection').__proto__.mine = 1; cube('a', { sql_table: 't' })`);
    const look = script('a', `if (require('Reflection').mine) throw new Error('met'); cube('a', { sql_table: 't' })`);
    await compiler.compile([mark], { owner: { ...one, trust: 'dev branch 1' } });
    for (const trust of ['shared', 'dev branch 2'] as const) {
      expect(await compiler.compile([look], { owner: { ...one, trust } })).toEqual(FINE);
    }
    expect(await compiler.compile([look], { owner: { ...one, deploymentId: 0, trust: 'dev branch 1' } })).toEqual(FINE);
  });

  it('is replaced after a number of compilations', async () => {
    const recycling = new ModelCompiler(sandbox, { poolSize: 1, spares: 0, recycleAfter: 2 });
    const count = `const all = require('Reflection').__proto__; all.runs = (all.runs ?? 0) + 1;
      if (all.runs > 4) throw new Error('old')`;
    const runs = [];
    // A compilation runs a script more than once: the limit is met within two of them, unless the child is a new one.
    for (let i = 0; i < 3; i++) {
      const { valid } = await recycling.compile([script('a', count)], { owner: ownerCalled('one') });
      runs.push(valid);
    }
    await recycling.close();
    expect(runs).toEqual([true, false, true]);
  });
});

describe('closing', () => {
  it('refuses what was under way and what waited, and blames no model', async () => {
    const closing = new ModelCompiler(sandbox, { poolSize: 1, spares: 0 });
    const under = closing.compile([script('a', 'for (;;) {}')], { owner: ownerCalled('one') });
    const queued = closing.compile([script('a', '')], { owner: ownerCalled('two') });
    const refusals = Promise.all([under, queued].map((each) => each.catch((error: unknown) => error)));
    await closing.close();
    for (const error of await refusals) {
      expect(error).toBeInstanceOf(CompilerUnavailable);
      expect(error).toMatchObject({ message: 'The compiler is shutting down' });
    }
  });
});
