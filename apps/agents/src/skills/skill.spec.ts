import { MOST_TEXT, skillsOf } from './skill';

const file = (name: string, content: string) => ({ name, content, problem: null });
const problemOf = (content: string) => skillsOf([file('a', content)])[0]?.problem;

describe('skills', () => {
  it.each([
    ['that does not end', '---\ntitle: A\nText', /does not end/],
    ['that is no YAML', '---\ntitle: [\n---\nText', /no YAML/],
    ['that is a list', '---\n- a\n---\nText', /no list of names and values/],
    ['with a title that is no text', '---\ntitle: [a]\n---\nText', /title is no text/],
    ['with a name of blanks', '---\nname: " "\n---\nText', /name is no text/],
    ['with a long description', `---\ndescription: ${'x'.repeat(2_001)}\n---\nText`, /more than 2000/],
    ['that repeats itself', '---\na: &a [x]\ntitle: *a\n---\nText', /aliases/],
    ['and nothing after it', '---\ntitle: A\n---\n', /no text/],
  ])('with a front matter %s are named, and take nothing from others', (_what, content, problem) => {
    const skills = skillsOf([file('a', content), file('b', 'Text')]);
    expect(skills.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(skills[0]).toMatchObject({ file: 'a', text: '', problem: expect.stringMatching(problem) });
    expect(skills[1]).toMatchObject({ text: 'Text', problem: null });
  });

  it('say why a file is not read', () => {
    const unread = (problem: 'too_large' | 'too_many' | 'not_text') => ({ name: problem, content: null, problem });
    const skills = skillsOf([unread('too_large'), unread('too_many'), unread('not_text')]);
    expect(skills.map(({ problem }) => problem)).toEqual([
      'The file is larger than 32 KiB',
      'There are more than 100 skills',
      'The file is no text in UTF-8',
    ]);
  });

  it('have names of their own: the first file keeps its', () => {
    const skills = skillsOf([file('a', '---\nname: b\n---\nFirst'), file('b', 'Second')]);
    expect(skills.map(({ name, problem }) => [name, problem])).toEqual([
      ['b', null],
      ['b', 'Another skill has this name'],
    ]);
  });

  it('have room together, which a large one does not take from a small one after it', () => {
    const skills = skillsOf([file('a', 'x'), file('b', 'x'.repeat(MOST_TEXT)), file('c', 'x')]);
    expect(skills.map(({ problem }) => problem)).toEqual([null, expect.stringMatching(/more than 40000/), null]);
  });

  it('are named by their files where they say nothing of themselves', () => {
    const bare = { file: 'a', name: 'a', title: null, description: null, text: 'Text', problem: null };
    for (const content of ['Text', '\uFEFFText\r\n', '---\n---\nText', '---\n# nothing\n---\nText']) {
      expect(skillsOf([file('a', content)])).toEqual([bare]);
    }
  });

  it('take their name, title and description from the front matter, and the rest is what agents are told', () => {
    const content =
      '---\nname: fiscal\ntitle: "Our: year"\ndescription: |\n  For years.\nowner: 7\n---\n\n# Year\n---\nText\n';
    expect(skillsOf([file('a', content)])[0]).toMatchObject({
      ...{ name: 'fiscal', title: 'Our: year', description: 'For years.', problem: null },
      text: '# Year\n---\nText',
    });
    expect(problemOf('\ufeff---\r\ntitle: A\r\n---\r\nText')).toBeNull();
  });
});
