import { compare, figuresOf, hasChanged } from './figures';

const column = (name: string, type: string) => ({ name, title: name, type, format: null, decimalPlaces: null });
const place = { x: 0, y: 0, w: 1, h: 1 };
const chart = (id: string, rows: Record<string, unknown>[], title: string | null = 'Orders') => ({
  ...{ type: 'CHART' as const, id, title, ...place },
  chart: { kind: null, columns: [column('city', 'string'), column('count', 'number')], rows },
});

describe('figures of a dashboard', () => {
  it('are no texts, no gaps and nothing of charts that could not be read', () => {
    const broken = { type: 'CHART' as const, id: 'b', title: 'x', ...place, chart: { error: 'no' } };
    const rows = [{ count: null }, { count: 'many' }, { count: {} }, { count: '' }, {}];
    expect(figuresOf({ widgets: [broken, chart('a', rows), { type: 'DIVIDER', id: 'c', ...place }] })).toEqual([]);
  });

  it('are bounded', () => {
    const rows = Array.from({ length: 50 }, (_none, index) => ({ city: 'x'.repeat(9_000), count: index }));
    const many = figuresOf({ widgets: Array.from({ length: 50 }, (_none, index) => chart(`${index}`, rows)) });
    expect(many).toHaveLength(60);
    expect(JSON.stringify(many).length).toBeLessThan(60 * 800);
  });

  it('have a label of the names in their row, also within containers', () => {
    const inside = chart('a', [{ city: 'Bonn', count: '7' }]);
    const tabs = [{ title: null, widgets: [inside] }];
    const widgets = [{ type: 'CONTAINER' as const, id: 'c', ...place, tabs }, chart('d', [{ count: 1.5 }], null)];
    expect(figuresOf({ widgets }).map(({ label, value }) => [label, value])).toEqual([
      ['Orders · Bonn · count', '7'],
      ['Chart · count', '1.5'],
    ]);
  });

  it('are compared with the same ones of the run before, in whatever order rows come', () => {
    const now = figuresOf({
      widgets: [
        chart('a', [
          { city: 'Ulm', count: 1 },
          { city: 'Bonn', count: 7 },
        ]),
      ],
    });
    const before = figuresOf({
      widgets: [
        chart('a', [
          { city: 'Bonn', count: 5 },
          { city: 'Ulm', count: '1' },
        ]),
      ],
    });
    const compared = compare(now, before);
    expect(compared.map(({ value, previous }) => [value, previous])).toEqual([
      ['1', '1'],
      ['7', '5'],
    ]);
    expect(compared.filter(hasChanged)).toHaveLength(1);
    expect(compare(now, []).every(({ previous }) => previous === null)).toBe(true);
  });
});
