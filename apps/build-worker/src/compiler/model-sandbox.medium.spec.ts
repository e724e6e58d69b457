import { createServer } from 'node:net';
import { ModelCompiler } from './model-compiler';

const compiler = new ModelCompiler({ timeoutMs: 3_000, memoryMb: 160, poolSize: 1 });
afterAll(() => compiler.close());

const run = (content: string, owner?: string) =>
  compiler.compile([{ path: 'model/a.js', content }], owner === undefined ? {} : { owner });
const escaped = (code: string) => `const host = cube.constructor;\nhost('return ' + ${JSON.stringify(code)})();`;
const failure = (message: unknown, line?: number) => ({
  valid: false,
  errors: [{ message, fileName: 'model/a.js', ...(line === undefined ? {} : { line }) }],
  cubesCount: 0,
});

const aborted = (message: string) => ({ ...failure(message), aborted: true });

// Each is followed by a model of somebody else, which must not notice.
afterEach(async () => {
  expect(await run('cube(`fine`, { sql_table: `t` })', 'neighbour')).toEqual({
    valid: true,
    errors: [],
    cubesCount: 1,
  });
});

describe('a data model that', () => {
  it('loops for ever is stopped', async () => {
    expect(await run('for (;;) {}')).toEqual(aborted('Compilation took longer than 3 s and was stopped'));
  });

  it('waits for ever is stopped', async () => {
    expect(await run('asyncModule(() => new Promise(() => {}))')).toEqual(
      aborted('Compilation took longer than 3 s and was stopped'),
    );
  });

  it('eats memory is stopped', async () => {
    expect(await run('const all = [];\nfor (;;) all.push(new Array(1e5).fill(all.length));')).toEqual(
      aborted('Compilation needs more than 160 MiB of memory'),
    );
  });

  it('floods the output is stopped', async () => {
    const code = escaped(
      '(async () => { for (;;) { process.stdout.write("x".repeat(65536)); await null; await new Promise(setImmediate); } })()',
    );
    expect(await run(`${code}\nasyncModule(() => new Promise(() => {}))`)).toEqual(
      aborted('The data model prints too much output'),
    );
  });

  it.each([
    'process.exit(0)',
    'process.reallyExit(1)',
    'process.abort()',
    'process.kill(process.ppid)',
    'process.send({})',
  ])('calls %s is refused', async (code) => {
    expect(await run(escaped(code))).toEqual(
      failure('A data model may not use the network or the process', expect.any(Number) as unknown as number),
    );
  });

  it('names process finds none', async () => {
    expect(await run('process.exit(1)')).toEqual(failure('process is not defined', 1));
  });

  it.each(['fs', 'node:fs', 'child_process', '../../../etc/passwd', '/etc/passwd'])(
    'requires %s is refused',
    async (name) => {
      const result = await run(`require(${JSON.stringify(name)}).readFileSync('/etc/passwd')`);
      expect(result).toEqual(failure(expect.stringMatching(/not found|restricted/), 1));
    },
  );

  const outcome = (expression: string) =>
    run(
      `asyncModule(async () => { const text = await cube.constructor('return ' + ${JSON.stringify(expression)})(); throw new Error(String(text)); });`,
    ).then(({ errors }) => errors.map(({ message }) => message).join());

  it('climbs out of its context loads no module', async () => {
    expect(await outcome("import('node:fs')")).toBe('A dynamic import callback was not specified.');
    expect(await outcome('typeof require + typeof process.mainModule + typeof process.getBuiltinModule')).toBe(
      'undefined'.repeat(3),
    );
  });

  it('climbs out of its context may still not read, write or start anything', async () => {
    const asked = [['fs.read', '/etc/passwd'], ['fs.write', '/tmp'], ['child'], ['worker']];
    expect(await outcome(`${JSON.stringify(asked)}.map((each) => process.permission.has(...each))`)).toBe(
      'false,false,false,false',
    );
  });

  it('climbs out of its context finds an empty environment', async () => {
    expect(await outcome('JSON.stringify(process.env)')).toBe('{}');
  });

  it('climbs out of its context reaches no network', async () => {
    const server = createServer();
    let connections = 0;
    server.on('connection', (socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const reason = 'A data model may not use the network or the process';
    expect(await outcome(`fetch('http://127.0.0.1:${port}').catch((error) => error.cause.message)`)).toBe(reason);
    expect(connections).toBe(0);
    await new Promise((resolve) => server.close(resolve));
  });

  it('leaves something behind in its child is met by no other owner', async () => {
    await run(`${escaped('void (globalThis.stolen = 1)')}\ncube(\`a\`, { sql_table: \`t\` })`, 'first');
    const probe = 'cube.constructor(\'if (globalThis.stolen) throw new Error("found")\')();';
    expect(await run(probe, 'first')).toEqual(failure('found', expect.any(Number) as unknown as number));
    expect(await run(probe, 'second')).toMatchObject({ valid: true });
  });
});

describe('a child', () => {
  it('is replaced after a number of compilations', async () => {
    const recycling = new ModelCompiler({ poolSize: 1, recycleAfter: 2 });
    const count =
      'cube.constructor(\'globalThis.runs = (globalThis.runs ?? 0) + 1; if (runs > 4) throw new Error("old")\')()';
    const runs = [];
    // A compilation runs a script more than once: the limit is met within two of them, unless the child is a new one.
    for (let i = 0; i < 3; i++) {
      const { valid } = await recycling.compile([{ path: 'model/a.js', content: count }], { owner: 'one' });
      runs.push(valid);
    }
    await recycling.close();
    expect(runs).toEqual([true, false, true]);
  });
});

describe('closing', () => {
  it('answers what was under way with an error', async () => {
    const closing = new ModelCompiler({ poolSize: 1 });
    const under = closing.compile([{ path: 'model/a.js', content: 'for (;;) {}' }]);
    const queued = closing.compile([]);
    await closing.close();
    expect((await under).errors).toEqual([{ message: 'The compiler is shutting down' }]);
    expect((await queued).errors).toEqual([{ message: 'The compiler is shutting down' }]);
  });
});
