import type { ContainerWidget, Scene, SceneGrid, SceneWidget } from '../scene';
import { DRAWING_WIDTH, Grid, type Box } from './grid';

/** Everything of a scene below its head, in its place. */
export interface Plan {
  width: number;
  height: number;
  frames: readonly Frame[];
  /** Widgets that have no place because there are too many. */
  omitted: number;
}

/** A rectangle of a picture. */
export interface Frame extends Box {
  /** Of its widget; a container has several frames. */
  id: string;
  look: 'card' | 'panel' | 'heading' | 'rule' | 'control';
  title: string | null;
  /** What is chosen, of a control. */
  value?: string;
  /** Where its widget is drawn. */
  body?: Box;
  /** What stands there instead of a drawing. */
  note?: string;
}

export const PADDING = 16;
export const TITLE_HEIGHT = 30;
const HEADING_HEIGHT = 34;
const MAX_WIDGETS = 200;
const MAX_HEIGHT = 20_000;

type Leaf = Exclude<SceneWidget, ContainerWidget>;

/** Where everything stands in pictures: tabs of a container one below another, what is below them further down. */
export function planOf({ widgets, grid }: Pick<Scene, 'widgets' | 'grid'>): Plan {
  const kept = widgets.slice(0, MAX_WIDGETS);
  const inner = new Map(kept.filter(isContainer).map((each) => [each.id, containerFrames(each, kept, grid)]));
  const placed = new Grid(kept, grid ?? {}, DRAWING_WIDTH).place((widget) => inner.get(widget.id)?.(0).height);
  const frames = placed.flatMap(({ widget, box }) =>
    isContainer(widget) ? (inner.get(widget.id)?.(box.height).frames ?? []).map(moved(box)) : leafFrames(widget, box),
  );
  const visible = frames.filter(({ y, height }) => y + height <= MAX_HEIGHT);
  const gone = new Set(frames.filter((each) => !visible.includes(each)).map(({ id }) => id));
  const height = Math.max(0, ...visible.map((each) => each.y + each.height));
  return { width: DRAWING_WIDTH, height, frames: visible, omitted: gone.size + widgets.length - kept.length };
}

/** Widgets of the scene that are drawn by themselves, with those in containers. */
export const leavesOf = (widgets: readonly SceneWidget[]): Leaf[] =>
  widgets.flatMap((widget) => (isContainer(widget) ? widget.tabs.flatMap((tab) => tab.widgets) : [widget]));

export const isContainer = (widget: SceneWidget): widget is ContainerWidget => widget.type === 'CONTAINER';

interface Stack {
  height: number;
  frames: Frame[];
}

/** A container's frames, from its own upper left corner, as high as it has to be and at least as high as it is told. */
function containerFrames(container: ContainerWidget, all: readonly SceneWidget[], grid: SceneGrid = {}) {
  const width = new Grid(all, grid, DRAWING_WIDTH).widthOf(container);
  const stack = tabFrames(container, width, grid);
  return (least: number): Stack => {
    const height = Math.max(least, stack.height);
    const panel: Frame = { id: container.id, look: 'panel', title: null, x: 0, y: 0, width, height };
    return { height, frames: [panel, ...stack.frames] };
  };
}

function tabFrames({ id, title, tabs, w }: ContainerWidget, width: number, grid: SceneGrid): Stack {
  const frames: Frame[] = [];
  const inside = width - 2 * PADDING;
  let y = PADDING / 2;
  const head = (text: string): void => {
    frames.push({ id, look: 'heading', title: text, x: PADDING, y, width: inside, height: HEADING_HEIGHT });
    y += HEADING_HEIGHT + PADDING / 2;
  };
  if (title) head(title);
  else if (!tabs.some((tab) => tab.title)) y = PADDING;
  for (const tab of tabs) {
    if (tab.title) head(tab.title);
    const own = new Grid(tab.widgets, { ...grid, columns: tab.columns ?? w }, inside);
    const placed = own.place(() => undefined);
    frames.push(...placed.flatMap(({ widget, box }) => leafFrames(widget, box)).map(moved({ x: PADDING, y })));
    y += Math.max(0, ...placed.map(({ box }) => box.y + box.height)) + PADDING;
  }
  return { height: y, frames };
}

function leafFrames(widget: Leaf, box: Box): Frame[] {
  const { id } = widget;
  switch (widget.type) {
    case 'SPACER':
    case 'PARENT':
      return [];
    case 'DIVIDER':
      return [{ id, look: 'rule', title: null, ...box }];
    case 'FILTER':
    case 'TIME_GRAIN':
    case 'FIELD':
      return [{ id, look: 'control', title: widget.label, value: widget.value, ...box }];
    case 'PLACEHOLDER':
      return [{ ...card(id, widget.title, box), note: `${widget.name}: open the dashboard to see it` }];
    default:
      return [card(id, widget.title, box)];
  }
}

function card(id: string, title: string | null | undefined, box: Box): Frame {
  const top = title ? TITLE_HEIGHT + PADDING / 2 : PADDING;
  const body = {
    x: box.x + PADDING,
    y: box.y + top,
    width: Math.max(1, box.width - 2 * PADDING),
    height: Math.max(1, box.height - top - PADDING),
  };
  return { id, look: 'card', title: title || null, ...box, body };
}

const moved =
  ({ x, y }: { x: number; y: number }) =>
  (frame: Frame): Frame => ({
    ...frame,
    x: frame.x + x,
    y: frame.y + y,
    ...(frame.body && { body: { ...frame.body, x: frame.body.x + x, y: frame.body.y + y } }),
  });
