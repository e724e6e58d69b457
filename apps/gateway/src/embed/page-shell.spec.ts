import { createHash } from 'node:crypto';
import { html } from '@plinth/html';
import { shell, type ShellPage } from './page-shell';
import { textsFor } from './texts';

const page = (more: Partial<ShellPage>) =>
  shell({ title: 'Shared', language: 'en', texts: textsFor('en').texts, content: html``, ...more }, []);
const styleOf = (text: string): string => /<style>(.*)<\/style>/s.exec(text)?.[1] ?? '';

describe('a page for a frame that no dashboard colours', () => {
  it('follows the reader, or the theme that its address names', () => {
    expect(page({}).text).toContain('prefers-color-scheme:dark');
    for (const theme of ['light', 'dark'] as const) {
      const { text } = page({ theme });
      expect(text).toContain(`color-scheme:${theme}}`);
      expect(text).not.toContain('prefers-color-scheme');
    }
  });

  it('has the colour of the theme of the session where letters stay legible, and no other words of it', () => {
    expect(page({ theme: 'light', accent: '#8a1c5b' }).text).toContain('--accent:#8a1c5b');
    expect(page({ theme: 'light', accent: '#fefefe' }).text).not.toContain('--accent:#fefefe');
    for (const accent of [null, undefined, 'red}body{x:y', 'url(https://x.test/a)'])
      expect(page({ theme: 'dark', accent }).text).toBe(page({ theme: 'dark' }).text);
  });

  it('allows its own style and nothing else', () => {
    const { headers, text } = page({ theme: 'dark', accent: '#8a1c5b' });
    const digest = createHash('sha256').update(styleOf(text)).digest('base64');
    expect(headers['content-security-policy']).toContain(`style-src 'sha256-${digest}';`);
  });
});
