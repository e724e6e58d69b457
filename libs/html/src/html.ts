/** Text that is HTML already. Whoever makes one answers for it. */
export class Html {
  constructor(readonly text: string) {}
}

type Content = Html | string | number | undefined | readonly Html[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');

/** HTML from a template. Whatever is put in is text, unless it came from a template itself; undefined is nothing. */
export const html = (parts: TemplateStringsArray, ...contents: Content[]): Html =>
  new Html(parts.reduce((text, part, index) => text + written(contents[index - 1]) + part));

function written(content: Content): string {
  if (content === undefined) return '';
  if (content instanceof Html) return content.text;
  if (typeof content === 'string' || typeof content === 'number') return escaped(String(content));
  return content.map(({ text }) => text).join('');
}
