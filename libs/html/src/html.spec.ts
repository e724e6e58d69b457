import { html } from './html';

describe('a template of HTML', () => {
  it('takes whatever is put in for text, in content and in attributes', () => {
    const evil = `"><script>alert('x')</script>&amp;`;
    expect(html`<p title="${evil}">${evil}</p>`.text).toBe(
      '<p title="&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;">' +
        '&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;</p>',
    );
  });

  it('keeps what came from a template, alone and in lists, and leaves out what is undefined', () => {
    const items = ['<a>', 'b'].map((text) => html`<li>${text}</li>`);
    expect(html`${items}${undefined}${html`<hr />`}${3}`.text).toBe('<li>&lt;a&gt;</li><li>b</li><hr />3');
  });
});
