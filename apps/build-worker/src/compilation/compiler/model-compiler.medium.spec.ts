import { createHash } from 'node:crypto';
import { Sandbox } from '@plinth/sandbox';
import { SAMPLE_PROJECT_CUBES, sampleProject } from '@plinth/testing';
import { type ModelFile } from './compile-result';
import { ModelCompiler } from './model-compiler';
import { ownerCalled } from './testing/owner';

let sandbox: Sandbox;
let compiler: ModelCompiler;
beforeAll(async () => {
  sandbox = await Sandbox.open();
  compiler = new ModelCompiler(sandbox, { timeoutMs: 20_000, spares: 0 });
});
afterAll(() => compiler.close());

const yaml = (name: string, extra = ''): string =>
  `cubes:\n  - name: ${name}\n    sql_table: ${name}\n    dimensions:\n      - name: id\n        sql: id\n        type: number\n        primary_key: true\n${extra}`;
const file = (path: string, content: string): ModelFile => ({ path, content });
const compile = (...files: ModelFile[]) => compiler.compile(files, { owner: ownerCalled('test') });
const broken = (errors: object[]) => ({ valid: false, errors, cubesCount: 0 });

describe('processes', () => {
  it.each([
    ['one that is loaded before anybody compiles, and another one as soon as that has an owner', 1, [1, 2]],
    ['none before somebody compiles, and none to spare afterwards', 0, [0, 1]],
  ])('are, with that many spares, %s', async (_what, spares, started) => {
    const starts = jest.spyOn(sandbox, 'start');
    const sparing = new ModelCompiler(sandbox, { spares });
    const counts = [starts.mock.calls.length];
    await sparing.compile([file('model/a.yml', yaml('a'))], { owner: ownerCalled('first') });
    counts.push(starts.mock.calls.length);
    expect(counts).toEqual(started);
    starts.mockRestore();
    await sparing.close();
  });
});

describe('a valid project', () => {
  it('compiles, and its cubes and views are counted', async () => {
    const counted = { valid: true, errors: [], cubesCount: SAMPLE_PROJECT_CUBES };
    expect(await compile(...sampleProject())).toMatchObject(counted);
  });

  it('brings what has become of its YAML files, by the hash of each, also when it is compiled again', async () => {
    const content = yaml('a');
    const hash = createHash('md5').update(content).digest('hex');
    for (const others of [[], [file('model/b.yml', yaml('b'))]]) {
      const { transpiled = [] } = await compile(file('model/a.yml', content), ...others);
      expect(transpiled).toHaveLength(1 + others.length);
      expect(new Map(transpiled).get(hash)).toContain('cube("a"');
    }
  });

  it.each([
    ['nothing', []],
    ['files that are none of a model', [file('cube.js', 'throw 1'), file('model/cubes/.gitkeep', '')]],
  ])('may hold %s, and takes no process then', async (_what, files) => {
    const starts = jest.spyOn(sandbox, 'start');
    const owner = ownerCalled('empty');
    expect(await compiler.compile(files, { owner })).toEqual({ valid: true, errors: [], cubesCount: 0 });
    expect(starts).not.toHaveBeenCalled();
    starts.mockRestore();
  });

  it('is read from model/, and from schema/ where there is no model/', async () => {
    expect(await compile(file('schema/a.yml', yaml('a')))).toMatchObject({ valid: true, cubesCount: 1 });
    const both = [file('schema/a.yml', yaml('a')), file('model/b.yml', yaml('b')), file('c.yml', 'not: [a model')];
    expect(await compile(...both)).toMatchObject({ valid: true, cubesCount: 1 });
  });

  it('sees COMPILE_CONTEXT in templates and scripts', async () => {
    const files = [
      file('model/a.yml', yaml('{{ COMPILE_CONTEXT.securityContext.tenant }}_a')),
      file('model/b.js', 'cube(`${COMPILE_CONTEXT.securityContext.tenant}_b`, { sql_table: `b` })'),
    ];
    const context = { securityContext: { tenant: 't1' } };
    expect(await compiler.compile(files, { context, owner: ownerCalled('test') })).toMatchObject({
      valid: true,
      cubesCount: 2,
    });
  });

  it('may import another file of the model, before it or after it', async () => {
    const files = [
      file('model/names.js', 'export const table = `shop.orders`;'),
      file('model/a.js', 'import { table } from "./names";\ncube(`a`, { sql_table: table })'),
    ];
    expect(await compile(...files)).toEqual({ valid: true, errors: [], cubesCount: 1 });
    expect(await compile(...files.reverse())).toEqual({ valid: true, errors: [], cubesCount: 1 });
  });
});

describe('an invalid project', () => {
  it('brings nothing of what has become of its files', async () => {
    const result = await compile(file('model/a.yml', yaml('a')), file('model/b.yml', 'cubes:\n  - name: b\n'));
    expect([result.valid, result.transpiled]).toEqual([false, undefined]);
  });

  it.each<[string, ModelFile[], object[]]>([
    [
      'broken YAML',
      [file('model/a.yml', 'cubes:\n  - name: a\n   sql_table: b\n')],
      [{ fileName: 'model/a.yml', line: 3, message: expect.stringContaining('Syntax error: bad indentation') }],
    ],
    [
      'broken JavaScript',
      [file('model/cubes/a.js', 'cube(`a`, {\n  sql_table: `a`,\n  measures: {{\n});')],
      [{ fileName: 'model/cubes/a.js', line: 3, message: expect.stringContaining('Syntax error: Unexpected token') }],
    ],
    [
      'JavaScript that throws',
      [file('model/a.js', '// first\n\nmissing(`a`, {});')],
      [{ fileName: 'model/a.js', line: 3, message: 'missing is not defined' }],
    ],
    [
      'a join to a missing cube',
      [
        file(
          'model/a.yml',
          yaml('a', '    joins:\n      - name: b\n        sql: "1 = 1"\n        relationship: many_to_one\n'),
        ),
      ],
      [{ fileName: 'model/a.yml', line: 2, message: expect.stringContaining("Cube b doesn't exist") }],
    ],
    [
      'a cube name twice in a file',
      [file('model/a.yml', `${yaml('a')}  - name: a\n    sql_table: x\n`)],
      [{ fileName: 'model/a.yml', line: 9, message: "Found duplicate cube name 'a'." }],
    ],
    [
      'an unknown property',
      [file('model/a.yml', yaml('a', '    colour: red\n'))],
      [{ fileName: 'model/a.yml', line: 2, message: expect.stringContaining('colour') }],
    ],
    [
      'a broken template',
      [file('model/a.yml', 'cubes:\n{% for x in [1] %}\n  - name: a\n')],
      [{ fileName: 'model/a.yml', message: 'Template error: unexpected end of file' }],
    ],
    [
      'an unknown template tag',
      [file('model/a.yml', 'cubes:\n{% nothing %}\n')],
      [{ fileName: 'model/a.yml', line: 2, message: 'Template error: unknown block tag: nothing' }],
    ],
    [
      'a template that fails in a macro of another file',
      [
        file('model/a.yml', "{% import './lib/m.jinja' as m %}\n{{ m.x() }}\n"),
        file('model/lib/m.jinja', '\n{% macro x() %}\n{{ missing() }}{% endmacro %}'),
      ],
      [
        {
          fileName: 'model/a.yml',
          line: 2,
          message: 'Template error: Unable to call `missing`, which is undefined or falsey',
        },
      ],
    ],
    [
      'a template that imports a missing file',
      [file('model/a.yml', "{% import 'none.jinja' as n %}\n")],
      [{ fileName: 'model/a.yml', message: 'Template error: template not found: none.jinja' }],
    ],
    [
      'Python',
      [file('model/globals.py', 'from cube import TemplateContext\n'), file('model/a.yml', yaml('a'))],
      [
        {
          fileName: 'model/globals.py',
          message: 'Python data models need the native module, which is not installed',
        },
      ],
    ],
  ])('reports %s with its file and line', async (_, files, errors) => {
    expect(await compile(...files)).toEqual(broken(errors));
  });

  it('reports a cube name that two files define', async () => {
    const result = await compile(file('model/a.yml', yaml('same')), file('model/b.yml', yaml('same')));
    expect(result).toEqual(
      broken([{ fileName: 'model/b.yml', line: 2, message: "Found duplicate cube name 'same'." }]),
    );
  });

  it('reports the errors of all files, and again on every compilation', async () => {
    const files = [
      file('model/a.yml', 'cubes: [\n'),
      file('model/b.js', 'cube(`b`, {'),
      file('model/c.yml', yaml('c', '    measures:\n      - name: m\n        type: sum\n        sql: "{CUBE"\n')),
    ];
    const first = await compile(...files);
    expect(new Set(first.errors.map(({ fileName }) => fileName))).toEqual(
      new Set(['model/a.yml', 'model/b.js', 'model/c.yml']),
    );
    expect(await compile(...files)).toEqual(first);
  });
});

describe('a project that is compiled again', () => {
  it('is held to what has changed in another file', async () => {
    const user = file(
      'model/b.yml',
      yaml('b', '    joins:\n      - name: a\n        sql: "{CUBE}.a = {a}.id"\n        relationship: many_to_one\n'),
    );
    expect(await compile(file('model/a.yml', yaml('a')), user)).toMatchObject({ valid: true, cubesCount: 2 });
    expect(await compile(file('model/a.yml', yaml('c')), user)).toMatchObject({ valid: false });
    expect(await compile(file('model/a.yml', yaml('a')), user)).toMatchObject({ valid: true, cubesCount: 2 });
  });

  it('sees a cube that a script names come and go', async () => {
    const child = file('model/b.js', 'cube(`b`, { extends: a, sql_table: `b` })');
    const parent = file('model/a.js', 'cube(`a`, { sql_table: `a` })');
    expect(await compile(parent, child)).toMatchObject({ valid: true });
    expect(await compile(child)).toMatchObject({ valid: false, errors: [{ fileName: 'model/b.js' }] });
    expect(await compile(parent, child)).toMatchObject({ valid: true });
  });
});

describe('compilations at the same time', () => {
  it('do not mix', async () => {
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        compiler.compile(
          Array.from({ length: i }, (_, n) => file(`model/c${n}.yml`, yaml(`c${n}`))),
          { owner: ownerCalled(`owner ${i % 2}`) },
        ),
      ),
    );
    expect(results.map(({ cubesCount }) => cubesCount)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});
