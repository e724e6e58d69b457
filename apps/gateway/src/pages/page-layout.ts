import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { sendContent } from '../http/reply';
import { Html, html } from '@plinth/html';

const style = `
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --ground: #f3f4f6; --line: #6b7280; --accent: #1f5fbf;
  --on-accent: #fff; --wrong: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --paper: #1d2127; --ground: #121519; --line: #8b93a1;
  --accent: #8ab4f8; --on-accent: #10151c; --wrong: #ff9c94; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 26rem; margin: 10vh auto 2rem; padding: 2rem; background: var(--paper); border-radius: 0.5rem; }
.brand { margin: 0 0 0.5rem; font-size: 0.875rem; font-weight: 700; letter-spacing: 0.04em; }
h1 { margin: 0 0 1rem; font-size: 1.375rem; line-height: 1.25; overflow-wrap: anywhere; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
ul { margin: 0 0 1rem; padding-left: 1.25rem; }
a { color: var(--accent); }
label { display: block; margin-top: 1rem; font-weight: 600; }
input + .hint { margin-top: 0.5rem; }
.hint + p, form + .hint { margin-top: 1rem; }
.hint { margin: 0; font-size: 0.875rem; }
input { display: block; width: 100%; margin-top: 0.25rem; padding: 0.625rem; font: inherit; color: inherit;
  background: var(--paper); border: 1px solid var(--line); border-radius: 0.25rem; }
input[hidden] { display: none; }
input[aria-invalid='true'] { border: 2px solid var(--wrong); }
button { width: 100%; margin-top: 1.5rem; padding: 0.75rem; font: inherit; font-weight: 600; color: var(--on-accent);
  background: var(--accent); border: 0; border-radius: 0.25rem; cursor: pointer; }
.second { margin-top: 0.75rem; color: var(--ink); background: transparent; border: 1px solid var(--line); }
.code { font: 700 1.75rem/1.25 ui-monospace, monospace; letter-spacing: 0.1em; text-align: center; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.wrong { padding: 0.75rem; border: 2px solid var(--wrong); border-radius: 0.25rem; color: var(--wrong); }
`;

/** The policy allows exactly these bytes. */
const styleElement = new Html(`<style>${style}</style>`);
const styleHash = createHash('sha256').update(style).digest('base64');

/** Headers of a page: its one style sheet, forms to its own host and perhaps on to another, and nothing else. */
export const pageHeadersFor = (formTarget = ''): Readonly<Record<string, string>> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self' ${formTarget}; frame-ancestors 'none'; ` +
    `base-uri 'none'`,
  // Browsers send `Origin: null` with a form of a page that sends no referrer at all.
  'referrer-policy': 'same-origin',
});

export const pageHeaders = pageHeadersFor();

/** A page for people; `title` is its heading too. */
export const pageOf = (title: string, content: Html): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} – Plinth</title>
        ${styleElement}
      </head>
      <body>
        <main>
          <p class="brand">Plinth</p>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`.text;

export function sendPage(
  response: ServerResponse,
  page: { status: number; title: string; content: Html },
  headers: Readonly<Record<string, string>> = pageHeaders,
): void {
  sendContent(response, page.status, { headers, text: pageOf(page.title, page.content) });
}

/** What went wrong with a form, announced to people who cannot see it. */
export const complaint = (message: string | undefined): Html | undefined =>
  message === undefined ? undefined : html`<p class="wrong" role="alert" id="complaint">${message}</p>`;
