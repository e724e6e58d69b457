import { createHash } from 'node:crypto';
import { Html, html } from '@plinth/html';
import { themeOf, type ThemeName } from '@plinth/rendering';
import { embedScript } from './embed-script';
import { familiesOf } from './page-font';
import type { Texts } from './texts';

/** A page for a frame. */
export interface ShellPage {
  title: string;
  language: string;
  texts: Texts;
  content: Html;
  /** Rules beside those of all pages; where a dashboard brings them, they have its colours. */
  css?: string;
  /** What the address asks for; null for what the reader's device prefers. */
  theme?: ThemeName | null;
  /** Colour of the session's theme. */
  accent?: string | null | undefined;
  /** Font of the session's theme. */
  font?: string | null | undefined;
  /** Frame whose session the page belongs to. */
  frame?: string | undefined;
  /** Where the script asks whether the session goes on; absent when it does not. */
  status?: string;
}

/** Colours where no dashboard brings its own. */
function plain({ theme, accent }: Pick<ShellPage, 'theme' | 'accent'>): string {
  const dark = `.plinth-dashboard{${variablesOf('dark', accent)}}`;
  return `:root{color-scheme:${theme ?? 'light dark'}}
.plinth-dashboard{${variablesOf(theme ?? 'light', accent)};
box-sizing:border-box;padding:20px;background:var(--page);color:var(--ink);font:14px/1.5 "Noto Sans",system-ui,sans-serif}
.plinth-head h1{font-size:22px;line-height:1.3;margin:0;flex:1 1 auto}
.plinth-card{padding:14px 16px;border:1px solid var(--line);border-radius:8px;background:var(--card)}
${theme ? '' : `@media (prefers-color-scheme:dark){${dark}}`}
`;
}

function variablesOf(name: ThemeName, accent: string | null | undefined): string {
  const theme = themeOf({ theme: name, colours: { accent: accent ?? null } });
  const { page, card, line, ink, dim, bad } = theme;
  const colours = { page, card, line, ink, dim, accent: theme.accent, 'on-accent': theme.onAccent, bad };
  return Object.entries(colours)
    .map(([variable, colour]) => `--${variable}:${colour}`)
    .join(';');
}

const frame = `html{background:transparent}
body.plinth-dashboard{max-width:none;margin:0;min-height:0}
.plinth-skip{position:absolute;left:-9999px}
.plinth-skip:focus{position:static;display:inline-block;margin-bottom:8px;color:var(--accent)}
.plinth-head{display:flex;flex-wrap:wrap;align-items:baseline;gap:4px 16px;margin-bottom:16px}
.plinth-head h1{overflow-wrap:anywhere}
.plinth-bar{display:flex;flex-wrap:wrap;gap:8px;flex:1 0 100%;margin:4px 0 0}
.plinth-dashboard button{min-height:36px;padding:6px 14px;border:1px solid var(--accent);border-radius:6px;background:var(--accent);color:var(--on-accent);font:inherit;font-weight:700;cursor:pointer}
.plinth-dashboard button.plinth-second{border-color:var(--dim);background:transparent;color:var(--ink);font-weight:400}
.plinth-dashboard :focus-visible{outline:3px solid var(--accent);outline-offset:1px}
.plinth-talk{max-width:800px;margin-top:24px}
.plinth-talk h2{font-size:17px;margin:0 0 12px}
.plinth-talk ol{list-style:none;margin:0;padding:0}
.plinth-talk li{margin:0 0 12px;height:auto}
.plinth-talk ol ol{margin:12px 0 0;padding-left:16px;border-left:2px solid var(--line)}
.plinth-talk .plinth-text{margin:4px 0 8px;white-space:pre-wrap;overflow-wrap:anywhere}
.plinth-talk textarea{display:block;width:100%;box-sizing:border-box;margin:4px 0 8px;padding:8px;border:1px solid var(--dim);border-radius:4px;background:var(--card);color:var(--ink);font:inherit}
.plinth-talk summary{cursor:pointer;color:var(--accent)}
.plinth-talk form,.plinth-talk details:not([open]){display:inline-block;margin:4px 12px 0 0}
.plinth-talk details form,.plinth-talk>form{display:block;margin:8px 0 12px}
.plinth-dashboard .plinth-short,.plinth-share select{display:block;width:min(320px,100%);box-sizing:border-box;min-height:36px;margin:4px 0 8px;padding:6px 8px;border:1px solid var(--dim);border-radius:4px;background:var(--card);color:var(--ink);font:inherit}
.plinth-mention{color:var(--accent)}
.plinth-share{margin-top:12px;padding-top:12px;border-top:1px solid var(--line)}
.plinth-share ul{margin:4px 0 12px;padding:0;list-style:none}
.plinth-share li{display:flex;justify-content:space-between;align-items:center;gap:8px;margin:0 0 6px;overflow-wrap:anywhere}
.plinth-share form{margin:0 0 10px}
.plinth-by{margin:0;color:var(--dim);font-size:13px}
.plinth-by strong{color:var(--ink)}
.plinth-wrong{padding:8px 12px;border:2px solid var(--bad);border-radius:6px;color:var(--bad)}
.plinth-list{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(260px,100%),1fr));align-items:start;gap:12px;margin:0 0 24px;padding:0;list-style:none}
.plinth-list .plinth-card{height:auto}
.plinth-list p{margin:0;color:var(--dim);font-size:13px}
.plinth-dashboard .plinth-link{width:100%;padding:0;border:0;background:none;color:var(--accent);text-align:left;overflow-wrap:anywhere}
.plinth-section{font-size:17px;margin:0 0 12px}
.plinth-ended{margin:0;padding:24px;text-align:center;color:var(--ink)}
@media (min-width:2200px){body.plinth-dashboard{zoom:1.4}}
@media (min-width:3200px){body.plinth-dashboard{zoom:2}}
@media (max-width:720px){.plinth-dashboard{padding:12px}}
@media print{.plinth-bar,.plinth-talk form{display:none}}
`;

/** A whole page, and headers that allow what is in it and nothing else. */
export function shell(page: ShellPage, origins: readonly string[]): { headers: Record<string, string>; text: string } {
  const families = familiesOf(page.font);
  const style = `${page.css ?? plain(page)}${frame}${families === null ? '' : `.plinth-dashboard{font-family:${families}}`}`;
  const styleHash = createHash('sha256').update(style).digest('base64');
  return { headers: headersFor(styleHash, origins), text: textOf(page, style) };
}

const textOf = ({ title, language, content, texts, frame: name, status }: ShellPage, style: string): string =>
  html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        ${new Html(`<style>${style}</style>`)}
        <script src="${embedScript.path}" referrerpolicy="no-referrer" defer></script>
      </head>
      <body class="plinth-dashboard" data-frame="${name}" data-status="${status}" data-ended="${texts.ended}">
        ${content}
      </body>
    </html>`.text;

/** Who may frame us is up to the account; everything else comes from ourselves. */
const headersFor = (styleHash: string, origins: readonly string[]): Record<string, string> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${styleHash}'; script-src 'self'; connect-src 'self'; img-src data:; ` +
    `form-action 'self'; base-uri 'none'; frame-ancestors ${origins.length > 0 ? origins.join(' ') : '*'}`,
  'cross-origin-resource-policy': 'cross-origin',
  // Browsers send `Origin: null` with a form of a page that sends no referrer at all.
  'referrer-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
});
