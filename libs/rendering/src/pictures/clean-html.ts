import sanitizeHtml from 'sanitize-html';

const ELEMENTS = [
  ...['p', 'br', 'hr', 'strong', 'em', 'del', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'a', 'span', 'div'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
];

/**
 * HTML of widgets with nothing in it but text: no scripts, no styles, nothing that is loaded. Links lead away. What scrolls
 * can be reached with the keyboard, and has the widget's title as its name.
 */
export function cleanHtml(markup: string, title = ''): string {
  return sanitizeHtml(markup, {
    allowedTags: ELEMENTS,
    allowedAttributes: { a: ['href', 'rel', 'target'], div: ['tabindex', 'role', 'aria-label'] },
    allowedClasses: { '*': [/^plinth-[a-z]+$/] },
    allowedSchemes: ['http', 'https', 'mailto'],
    allowProtocolRelative: false,
    nestingLimit: 50,
    transformTags: {
      div: (tagName, { class: name = '' }) => ({
        tagName,
        attribs: {
          class: name,
          ...(name === 'plinth-scroll' && { tabindex: '0', role: 'region', 'aria-label': title || 'Table' }),
        },
      }),
      a: (tagName, { href = '' }) =>
        /^(?:https?:|mailto:)/i.test(href)
          ? { tagName, attribs: { href, rel: 'noopener noreferrer nofollow', target: '_blank' } }
          : { tagName: 'span', attribs: {} },
    },
  });
}
