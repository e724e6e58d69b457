import { luminance } from '../drawing/colour';
import { FONT, type Theme } from '../drawing/theme';
import type { Place } from '../scene';

/** Tables are about as high as their place, in pixels, and scroll. */
const ROW = 52;
const TITLE = 90;
const LEAST_SCROLL = 160;

/** Where a widget stands on its grid; on narrow screens widgets stand below one another. */
export function placeRule(name: string, { x, y, w, h }: Place, columns: number): string {
  const left = Math.min(Math.max(0, Math.trunc(x)), columns - 1);
  const across = Math.min(Math.max(1, Math.trunc(w)), columns - left);
  const top = Math.min(Math.max(0, Math.trunc(y)), 9_000);
  const down = Math.min(Math.max(1, Math.trunc(h)), 900);
  const scroll = `.${name} .plinth-scroll{max-height:${Math.max(LEAST_SCROLL, down * ROW - TITLE)}px}`;
  return `.${name}{grid-column:${left + 1}/span ${across};grid-row:${top + 1}/span ${down}}${scroll}`;
}

/** Without addresses: whoever serves the page brings the font, or the reader's own is taken. */
export function pageCss(theme: Theme, places: readonly string[]): string {
  const colours = {
    ...{ page: theme.page, card: theme.card, panel: theme.panel, tint: theme.tint, line: theme.line },
    ...{ ink: theme.ink, dim: theme.dim, accent: theme.accent, 'on-accent': theme.onAccent },
    ...{ good: theme.good, bad: theme.bad },
  };
  const variables = Object.entries(colours).map(([name, value]) => `--${name}:${value}`);
  return `.plinth-dashboard{${variables.join(';')};color-scheme:${luminance(theme.card) < 0.18 ? 'dark' : 'light'};box-sizing:border-box;max-width:1280px;margin:0 auto;padding:20px;
background:var(--page);color:var(--ink);font:14px/1.5 "${FONT}",system-ui,sans-serif}
.plinth-dashboard *{box-sizing:border-box}
.plinth-dashboard svg text{font-family:"${FONT}",system-ui,sans-serif}
.plinth-head{display:flex;flex-wrap:wrap;align-items:baseline;gap:4px 16px;margin-bottom:16px}
.plinth-head h1{font-size:22px;line-height:1.3;margin:0;flex:1 1 auto}
.plinth-time,.plinth-description{margin:0;color:var(--dim);font-size:13px}
.plinth-description{flex:1 0 100%}
.plinth-captions{display:flex;flex-wrap:wrap;gap:6px 8px;flex:1 0 100%;margin:4px 0 0;padding:0;list-style:none}
.plinth-captions li{padding:2px 12px;border:1px solid var(--line);border-radius:14px;background:var(--card);font-size:12px}
.plinth-captions span,.plinth-control span{color:var(--dim)}
.plinth-grid{display:grid;gap:12px;grid-auto-rows:minmax(28px,auto)}
.plinth-grid>div{min-width:0}
.plinth-card{height:100%;padding:14px 16px;overflow:hidden;border:1px solid var(--line);border-radius:8px;background:var(--card)}
.plinth-card h2,.plinth-container h2{font-size:14px;line-height:1.4;margin:0 0 8px}
.plinth-control{display:flex;align-items:center;gap:8px;font-size:13px}
.plinth-control label{display:flex;flex-direction:column;gap:4px;width:100%}
.plinth-control fieldset{width:100%;margin:0;padding:0;border:0}
.plinth-control legend{padding:0;color:var(--dim)}
.plinth-control{overflow:visible}
.plinth-control summary{min-height:36px;padding:6px 0;cursor:pointer}
.plinth-control summary span::after{content:":"}
.plinth-control details{position:relative;width:100%}
.plinth-choices{position:absolute;z-index:2;min-width:100%;max-height:280px;overflow:auto;padding:8px 12px;border:1px solid var(--dim);border-radius:6px;background:var(--card)}
.plinth-choices label{flex-direction:row;align-items:center;padding:4px 0}
.plinth-control .plinth-choices input{width:18px;min-height:18px;margin:0 4px 0 0;flex:none}
.plinth-choices legend{position:absolute;width:1px;height:1px;overflow:hidden}
.plinth-days{display:flex;flex-wrap:wrap;gap:4px 12px}
.plinth-days label{flex:1 1 120px}
.plinth-control input,.plinth-control select{width:100%;min-height:36px;padding:4px 8px;border:1px solid var(--dim);border-radius:4px;background:var(--card);color:var(--ink);font:inherit}
.plinth-dashboard :focus-visible{outline:3px solid var(--accent);outline-offset:1px}
.plinth-chart{display:block;width:100%;height:auto}
.plinth-narrow{display:none}
.plinth-divider{border:0;border-top:1.5px solid var(--line);margin:12px 0}
.plinth-value{font-size:34px;line-height:1.2;font-weight:700;margin:4px 0;overflow-wrap:anywhere}
.plinth-change{margin:0;font-size:13px;font-weight:700}
.plinth-change span{color:var(--dim);font-weight:400}
.plinth-up{color:var(--good)}
.plinth-down,.plinth-error{color:var(--bad)}
.plinth-note,.plinth-error{text-align:center;margin:24px 0}
.plinth-note,.plinth-more{color:var(--dim);font-size:13px}
.plinth-scroll{overflow:auto}
.plinth-card table{width:100%;border-collapse:collapse;font-size:13px}
.plinth-card th,.plinth-card td{padding:6px 10px;text-align:left;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
.plinth-scroll th{position:sticky;top:0}
.plinth-card th{color:var(--dim);background:var(--tint)}
.plinth-card .plinth-number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.plinth-text>:first-child{margin-top:0}
.plinth-text>:last-child{margin-bottom:0}
.plinth-text a{color:var(--accent)}
.plinth-text pre{white-space:pre-wrap}
.plinth-text code{padding:1px 4px;border-radius:3px;background:var(--tint)}
.plinth-container{padding:12px;border-radius:10px;background:var(--panel)}
.plinth-container>input{position:absolute;opacity:0}
.plinth-labels{display:flex;flex-wrap:wrap;gap:4px 20px;margin-bottom:12px}
.plinth-labels label{padding:4px 0;border-bottom:2px solid transparent;color:var(--dim);font-weight:700;cursor:pointer}
.plinth-panel{display:none}
${places.join('\n')}
@media (max-width:720px){.plinth-dashboard{padding:12px}.plinth-grid{display:block}.plinth-grid>div{margin-bottom:12px}.plinth-narrow{display:block}.plinth-wide{display:none}}
@media print{.plinth-panel{display:block}.plinth-dashboard .plinth-scroll{max-height:none}}
`;
}
