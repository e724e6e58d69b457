import type { Frame } from '../layout/plan';
import { pageCuts } from './page-cuts';

const frame = (look: Frame['look'], y: number, height: number): Frame => ({
  ...{ id: `${look}${y}`, look, title: null, x: 0, width: 10 },
  y,
  height,
});
const cuts = (frames: Frame[], room = 100) =>
  pageCuts(
    { frames, width: 10, height: Math.max(...frames.map((each) => each.y + each.height)), omitted: 0 },
    () => room,
  ).map(({ from, to }) => [from, to]);

describe('the pages of a picture', () => {
  it('are one, for a scene without widgets', () => {
    expect(pageCuts({ frames: [], width: 10, height: 0, omitted: 0 }, () => 100)).toEqual([{ from: 0, to: 0 }]);
  });

  it('cut no widget, but where they can leave whole rows together', () => {
    const rows = [frame('card', 0, 40), frame('card', 50, 40), frame('card', 100, 40)];
    expect(cuts(rows)).toEqual([
      [0, 100],
      [100, 140],
    ]);
    expect(cuts([...rows, frame('card', 0, 140)])).toEqual([[0, 140]]);
  });

  it('have one for what is higher than a page', () => {
    expect(cuts([frame('card', 0, 50), frame('card', 60, 300), frame('card', 370, 20)])).toEqual([
      [0, 60],
      [60, 360],
      [362, 390],
    ]);
  });

  it('cut a container between its parts, and leave a heading with what it stands over', () => {
    const frames = [frame('panel', 0, 160), frame('card', 0, 70), frame('heading', 75, 20), frame('card', 100, 50)];
    expect(cuts(frames)).toEqual([
      [0, 75],
      [75, 160],
    ]);
  });
});
