import type { Frame, Plan } from '../layout/plan';

/** A part of a plan that stands on one page. */
export interface PageCut {
  from: number;
  to: number;
}

/** Space above the first widget of a page, in pixels. */
const GAP = 8;
/** Space between widgets, which a heading and what it stands over have in between. */
const REACH = 20;

/**
 * Cuts a plan between rows of widgets. What is higher than a page has a page of its own, on which it is made smaller.
 *
 * @param heightOf - Height of a page by its number, from 0.
 */
export function pageCuts({ frames, height }: Plan, heightOf: (page: number) => number): PageCut[] {
  const whole = frames.filter(({ look }) => look !== 'panel').map(wholeOf);
  const places = [...new Set([0, height, ...whole.flatMap(({ from, to }) => [from, to])])].sort((a, b) => a - b);
  const free = places.filter((place) => !whole.some(({ from, to }) => from < place && place < to));
  const pages: PageCut[] = [];
  for (let from = 0; from < height;) {
    const after = free.filter((place) => place > from);
    const fitting = after.filter((place) => place - from <= heightOf(pages.length));
    const to = fitting.at(-1) ?? after[0] ?? height;
    pages.push({ from, to });
    from = nextTop(frames, to) ?? height;
  }
  return pages.length > 0 ? pages : [{ from: 0, to: 0 }];
}

/** Where the next page begins: little above what is first on it. */
function nextTop(frames: readonly Frame[], after: number): number | undefined {
  const tops = frames.filter(({ look, y }) => look !== 'panel' && y >= after).map(({ y }) => y);
  return tops.length === 0 ? undefined : Math.max(after, Math.min(...tops) - GAP);
}

/** A heading stays with what is below it. */
const wholeOf = ({ look, y, height }: Frame): PageCut => ({
  from: y,
  to: y + height + (look === 'heading' ? REACH : 0),
});
