import { withMentions } from './mentions';

const known = ['ada', 'ada@acme.test', 'grace.h', 'a(b'].map((username, id) => ({
  ...{ id, username, email: null },
  firstName: username === 'grace.h' ? 'Grace <H>' : null,
}));
const shown = (text: string) => withMentions(text, known).text;

describe('mentions in a comment', () => {
  it('are escaped as all else is, and leave what names nobody as it is', () => {
    expect(shown('<b>@nobody</b> x@ada @adam')).toBe('&lt;b&gt;@nobody&lt;/b&gt; x@ada @adam');
  });

  it('are shown as people call whom they name, the longest name first', () => {
    const strong = (name: string) => `<strong class="plinth-mention">@${name}</strong>`;
    expect(shown('@ADA, ask @grace.h.')).toBe(`${strong('ada')}, ask ${strong('Grace &lt;H&gt;')}.`);
    expect(shown('@ada@acme.test')).toBe(strong('ada@acme.test'));
    expect(shown('(@a(b)')).toBe(`(${strong('a(b')})`);
  });
});
