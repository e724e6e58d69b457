import sanitizeHtml from 'sanitize-html';

const ELEMENTS = [
  ...['p', 'br', 'hr', 'strong', 'em', 'del', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'a', 'span', 'div'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
];

/** HTML of widgets with nothing in it but text: no scripts, no styles, nothing that is loaded. Links lead away. */
export function cleanHtml(markup: string): string {
  return sanitizeHtml(markup, {
    allowedTags: ELEMENTS,
    allowedAttributes: { a: ['href', 'rel', 'target'] },
    allowedClasses: { '*': [/^plinth-[a-z]+$/] },
    allowedSchemes: ['http', 'https', 'mailto'],
    allowProtocolRelative: false,
    nestingLimit: 50,
    transformTags: {
      a: (tagName, { href = '' }) =>
        /^(?:https?:|mailto:)/i.test(href)
          ? { tagName, attribs: { href, rel: 'noopener noreferrer nofollow', target: '_blank' } }
          : { tagName: 'span', attribs: {} },
    },
  });
}
