import type { SceneWidget } from '../scene';
import { planOf } from './plan';

const text = (id: string, x: number, y: number, w: number, h: number) => ({
  id,
  type: 'TEXT' as const,
  x,
  y,
  w,
  h,
  text: id,
});
const boxes = (widgets: SceneWidget[]) =>
  planOf({ widgets }).frames.map(({ id, look, x, y, width, height }) => [id, look, x, y, Math.round(width), height]);

describe('the plan of a scene', () => {
  it('has bounds for places that are far off, endless or no numbers', () => {
    const plan = planOf({
      widgets: [text('a', -5, NaN, Infinity, 1e9), text('b', 1e9, 1e9, 1, 1), text('c', 0, 0, -1, -1)],
      grid: { columns: 1e9, rowHeight: 1e9, margin: [-1, NaN] },
    });
    expect(plan.height).toBeLessThanOrEqual(20_000);
    for (const { x, y, width, height } of plan.frames) {
      expect([x, y, width, height].every(Number.isFinite)).toBe(true);
      expect(x + width).toBeLessThanOrEqual(1_161);
    }
  });

  it('leaves out what is too much, and says how much that is', () => {
    const many = Array.from({ length: 250 }, (_, index) => text(`t${index}`, 0, index, 1, 1));
    expect(planOf({ widgets: many })).toMatchObject({ omitted: 50 });
    const high = Array.from({ length: 60 }, (_, index) => text(`t${index}`, 0, index * 10, 1, 10));
    expect(planOf({ widgets: high }).omitted).toBeGreaterThan(10);
  });

  it('puts widgets on the grid, without empty rows above them', () => {
    expect(boxes([text('right', 6, 3, 6, 2), text('left', 0, 3, 6, 2)])).toEqual([
      ['left', 'card', 0, 0, 574, 92],
      ['right', 'card', 586, 0, 574, 92],
    ]);
  });

  it('has tabs one below another with their titles, and moves down what stands below their container', () => {
    const tabs = ['One', 'Two'].map((title) => ({ title, widgets: [text(title, 0, 0, 12, 2)] }));
    const frames = boxes([{ id: 'c', type: 'CONTAINER', x: 0, y: 0, w: 12, h: 2, tabs }, text('below', 0, 2, 12, 1)]);
    expect(frames.map(([id, look]) => [id, look])).toEqual([
      ['c', 'panel'],
      ['c', 'heading'],
      ['One', 'card'],
      ['c', 'heading'],
      ['Two', 'card'],
      ['below', 'card'],
    ]);
    const [panel, , , , two, below] = frames as [string, string, number, number, number, number][];
    expect(two![3] + two![5]).toBeLessThan(panel![5]);
    expect(below![3]).toBeGreaterThanOrEqual(panel![5]);
  });

  it('names what has no picture in its place', () => {
    const { frames } = planOf({
      widgets: [{ id: 'a', type: 'PLACEHOLDER', x: 0, y: 0, w: 3, h: 2, name: 'AI summary' }],
    });
    expect(frames).toMatchObject([{ id: 'a', note: 'AI summary: open the dashboard to see it' }]);
  });
});
