import { escaped } from '../drawing/svg';
import { themeOf } from '../drawing/theme';
import type { HtmlPart, HtmlParts } from '../html-parts';
import { Grid } from '../layout/grid';
import { isContainer } from '../layout/plan';
import { type Fragment, type Fragments, type Head, narrowId, type PageJob } from '../protocol';
import type { ContainerWidget, SceneGrid, SceneWidget } from '../scene';
import { cleanHtml } from './clean-html';
import { cleanSvg } from './clean-svg';
import { controlHtml } from './control-html';
import { pageCss, placeRule } from './page-css';
import { timeText } from './sheet';

type Leaf = Exclude<SceneWidget, ContainerWidget>;

/** A scene as HTML: charts as drawings inside it, tables as tables, tabs by radio buttons. */
export function drawPage({ head, look, grid, widgets }: PageJob, fragments: Fragments): HtmlParts {
  const page = new Page(fragments, grid ?? {});
  const parts = widgets.map((widget): HtmlPart => ({ id: widget.id, html: page.part(widget) }));
  const all = page.grid(widgets);
  const body = `<main class="plinth-dashboard">${headHtml(head, timeText(look))}${all}</main>`;
  const { page: ground, card, line, ink, dim, accent, onAccent, good, bad } = themeOf(look);
  const colours = { page: ground, card, line, ink, dim, accent, onAccent, good, bad };
  return { title: head.title, body, grid: all, css: pageCss(themeOf(look), page.rules), colours, parts };
}

function headHtml({ title, description, captions }: Head, time: string): string {
  const chips = captions.map(
    ({ label, value }) => `<li><span>${escaped(label)}:</span> <strong>${escaped(value)}</strong></li>`,
  );
  return (
    `<header class="plinth-head"><h1>${escaped(title)}</h1><p class="plinth-time">${escaped(time)}</p>` +
    (description ? `<p class="plinth-description">${escaped(description)}</p>` : '') +
    (chips.length > 0 ? `<ul class="plinth-captions">${chips.join('')}</ul>` : '') +
    '</header>'
  );
}

class Page {
  readonly rules: string[] = [];
  private readonly drawn = new Map<string, string>();
  private places = 0;
  private tabs = 0;

  constructor(
    private readonly fragments: Fragments,
    private readonly sizes: SceneGrid,
  ) {}

  grid(widgets: readonly SceneWidget[], columns = this.sizes.columns): string {
    const { columns: count } = new Grid(widgets, { ...this.sizes, columns: columns ?? null }, 1_000);
    const visible = widgets.filter(({ type }) => type !== 'SPACER' && type !== 'PARENT');
    const sorted = [...visible].sort((a, b) => a.y - b.y || a.x - b.x);
    const placed = sorted.map((widget) => {
      this.places += 1;
      this.rules.push(placeRule(`plinth-at-${this.places}`, widget, count));
      return `<div class="plinth-at-${this.places}">${this.part(widget)}</div>`;
    });
    this.places += 1;
    this.rules.push(`.plinth-at-${this.places}{grid-template-columns:repeat(${count},minmax(0,1fr))}`);
    return `<div class="plinth-grid plinth-at-${this.places}">${placed.join('')}</div>`;
  }

  /** Made once: ids in it are its own. */
  part(widget: SceneWidget): string {
    const made = this.drawn.get(widget.id) ?? (isContainer(widget) ? this.container(widget) : this.leaf(widget));
    this.drawn.set(widget.id, made);
    return made;
  }

  private container({ title, tabs, w }: ContainerWidget): string {
    const heading = title ? `<h2>${escaped(title)}</h2>` : '';
    const panels = tabs.map((tab) => this.grid(tab.widgets, tab.columns ?? w));
    if (tabs.length < 2) return `<section class="plinth-container">${heading}${panels.join('')}</section>`;
    this.tabs += 1;
    const group = `plinth-tabs-${this.tabs}`;
    const choices = tabs.map(({ title: name }, index) => {
      const id = `${group}-${index}`;
      const input = `<input type="radio" name="${group}" id="${id}"${index === 0 ? ' checked' : ''}>`;
      return { input, label: `<label for="${id}">${escaped(name || `Tab ${index + 1}`)}</label>` };
    });
    this.rules.push(...tabs.map((_, index) => chosen(`${group}-${index}`, index)));
    return (
      `<section class="plinth-container ${group}">${heading}${choices.map(({ input }) => input).join('')}` +
      `<div class="plinth-labels">${choices.map(({ label }) => label).join('')}</div>` +
      `${panels.map((panel) => `<div class="plinth-panel">${panel}</div>`).join('')}</section>`
    );
  }

  private leaf(widget: Leaf): string {
    switch (widget.type) {
      case 'SPACER':
      case 'PARENT':
        return '';
      case 'DIVIDER':
        return '<hr class="plinth-divider">';
      case 'FILTER':
      case 'TIME_GRAIN':
      case 'FIELD':
        return controlHtml(widget);
      case 'PLACEHOLDER':
        return card(widget.title, `<p class="plinth-note">${escaped(widget.name)}: open the dashboard to see it</p>`);
      default:
        return card(widget.title, this.content(widget.id, widget.title ?? ''));
    }
  }

  private content(id: string, title: string): string {
    const fragment = this.fragments[id];
    if (!fragment) return '';
    if ('error' in fragment) return `<p class="plinth-error">${escaped(fragment.error)}</p>`;
    if (fragment.kind === 'html') return cleanHtml(fragment.markup, title);
    const narrow = this.fragments[narrowId(id)];
    if (!narrow || 'error' in narrow) return this.svg(fragment, title);
    return this.svg(fragment, title, ' plinth-wide') + this.svg(narrow, title, ' plinth-narrow');
  }

  private svg({ width, height, markup }: Fragment, title: string, names = ''): string {
    this.places += 1;
    const inside = cleanSvg(markup, `plinth-${this.places}`);
    const label = escaped(title || 'Chart');
    const box = `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`;
    return `<svg class="plinth-chart${names}" role="img" aria-label="${label}" viewBox="${box}">${inside}</svg>`;
  }
}

/** What a chosen radio button shows: its label marked, its panel there. */
const chosen = (id: string, index: number): string =>
  `#${id}:checked~.plinth-labels label:nth-child(${index + 1}){color:var(--accent);border-color:var(--accent)}` +
  `#${id}:checked~.plinth-panel:nth-of-type(${index + 2}){display:block}` +
  `#${id}:focus-visible~.plinth-labels label:nth-child(${index + 1}){outline:2px solid var(--accent)}`;

const card = (title: string | null | undefined, content: string): string =>
  `<section class="plinth-card">${title ? `<h2>${escaped(title)}</h2>` : ''}${content}</section>`;
