/** Scalar's greys and reds are too pale on its own grounds (WCAG 2.2, 1.4.3). */
export const colours = `
.light-mode { --scalar-color-2: #4d4d4d; --scalar-color-3: #5f5f5f; --scalar-color-red: #b3001b; --scalar-color-green: #00664a;
  --scalar-color-blue: #0056a8; --scalar-color-orange: #8a4500; --scalar-color-yellow: #735000; --scalar-color-purple: #5a33a8; }
.dark-mode { --scalar-color-2: #b9b9b9; --scalar-color-3: #a6a6a6; --scalar-color-red: #ff8f86; --scalar-color-green: #3fd6a1;
  --scalar-color-blue: #79b8ff; --scalar-color-orange: #ffa657; --scalar-color-yellow: #ffd166; --scalar-color-purple: #c4a5ff; }
.light-mode, .dark-mode { --scalar-sidebar-search-color: var(--scalar-color-3); --scalar-sidebar-color-2: var(--scalar-color-2); }
.sidebar-search-placeholder, .endpoint-method { opacity: 1 !important; }
`;

/**
 * Puts right what the reader says to those who listen to it, whenever it has drawn something: buttons without a name or with
 * another one than they show, states that buttons do not have, and lists that scroll and that no key reaches.
 */
export const repairs = `
const each = (selector, change) => document.querySelectorAll(selector).forEach(change);
const named = (selector, name) => each(selector + ':not([aria-label])', (element) => element.setAttribute('aria-label', name));
const repair = () => {
  named('button[role=search]', 'Search');
  named('button.client-libraries__select', 'More client libraries');
  each('[aria-selected]:not([role])', (element) => element.removeAttribute('aria-selected'));
  each('button.show-more[aria-label]', (element) => element.removeAttribute('aria-label'));
  each('.client-libraries-list[role=tablist]', (list) => {
    list.setAttribute('role', 'group');
    list.removeAttribute('aria-orientation');
    list.querySelectorAll('[role=tab]').forEach((tab) => {
      tab.removeAttribute('role');
      tab.removeAttribute('aria-selected');
    });
  });
  each('ul.endpoints:not([tabindex])', (element) => element.setAttribute('tabindex', '0'));
};
new MutationObserver(repair).observe(document.body, { childList: true, subtree: true, attributeFilter: ['aria-selected'] });
`;
