import { JinjaEngine } from './jinja-engine';

function render(
  templates: Record<string, string>,
  context: unknown = {},
  globals: object | null = null,
): Promise<string> {
  const engine = new JinjaEngine({ twice: (text) => `${String(text)}${String(text)}` });
  for (const [name, source] of Object.entries(templates)) engine.loadTemplate(name, source);
  return engine.renderTemplate(Object.keys(templates)[0] ?? '', context, globals);
}

describe('a template that is wrong', () => {
  it.each([
    ['syntax', { 'a.yml': 'cubes:\n{% if %}' }, { fileName: 'a.yml', line: 2 }],
    ['a function that does not exist', { 'a.yml': 'cubes:\n\n{{ lost() }}' }, { fileName: 'a.yml', line: 3 }],
    [
      'a macro of another file',
      {
        'model/a.yml': "{% import './b.jinja' as b %}\n{{ b.x() }}",
        'model/b.jinja': '{% macro x() %}\n{{ lost() }}{% endmacro %}',
      },
      { fileName: 'model/a.yml', line: 2 },
    ],
    [
      'a file that does not exist',
      { 'a.yml': "{% import 'lost.jinja' as b %}" },
      { message: 'template not found: lost.jinja', fileName: 'a.yml' },
    ],
  ])('says where: %s', async (_, templates, error) => {
    await expect(render(templates as Record<string, string>)).rejects.toMatchObject({
      name: 'TemplateError',
      ...error,
    });
  });
});

describe('a template', () => {
  it('prints nothing for what is undefined, and escapes nothing', async () => {
    expect(await render({ a: `{{ lost }}{{ "<'&>" }}` })).toBe(`<'&>`);
  });

  it('knows the names of Python, and its methods of lists and dictionaries', async () => {
    expect(await render({ a: "{% for k, v in {'x': True}.items() %}{{ k }}{{ v }}{{ None }}{% endfor %}" })).toBe(
      'xtrue',
    );
  });

  it('has the filters of Jinja and those of the model', async () => {
    expect(
      await render({
        a: "{{ {'a': 1} | tojson }}{% for k, v in {'b': 2} | items %}{{ k }}{{ v }}{% endfor %}{{ 'c' | twice }}",
      }),
    ).toBe('{"a":1}b2cc');
  });

  it('sees the context of the compilation, and the globals of the model', async () => {
    expect(
      await render({ a: '{{ COMPILE_CONTEXT.tenant }}{{ f(1) }}' }, { tenant: 't' }, { f: (n: number) => n + 1 }),
    ).toBe('t2');
  });

  it('imports others by a path relative to its own', async () => {
    const templates = {
      'model/cubes/a.yml': "{% from '../lib/b.jinja' import x %}{{ x(2) }}",
      'model/lib/b.jinja': '{% macro x(n) %}<{{ n }}>{% endmacro %}',
    };
    expect(await render(templates)).toBe('<2>');
  });
});
