import type { ChartColumn } from '../../scene';
import { chartRows } from './chart-rows';

const column = (name: string, type: string): ChartColumn => ({
  name,
  title: name,
  type,
  format: null,
  decimalPlaces: null,
});

describe('the rows of a chart', () => {
  it('change no prototype, whatever columns are called', () => {
    const [row] = chartRows({
      columns: [column('__proto__.polluted', 'string'), column('__proto__', 'string')],
      rows: [{ '__proto__.polluted': 'x' }],
    });
    expect(Object.getPrototypeOf(row!)).toBe(Object.prototype);
    expect({}).not.toHaveProperty('polluted');
  });

  it('have numbers where engines send texts, and leave other texts', () => {
    const rows = chartRows({
      columns: [column('n', 'number'), column('s', 'string')],
      rows: [
        { n: '-1.5e3', s: '12' },
        { n: 'x', s: null },
      ],
    });
    expect(rows).toEqual([
      { n: -1_500, s: '12' },
      { n: 'x', s: null },
    ]);
  });

  it('have days that begin in the time zone of the reader', () => {
    expect(chartRows({ columns: [column('t', 'time')], rows: [{ t: '2025-01-01' }] })).toEqual([
      { t: '2025-01-01T00:00:00' },
    ]);
  });

  it('are found by the name of a member and by its path', () => {
    const columns = [column('orders.at', 'time'), column('orders.at.month', 'time'), column('orders.count', 'number')];
    const [row] = chartRows({ columns, rows: [{ 'orders.at': 'a', 'orders.at.month': 'm', 'orders.count': '3' }] });
    expect(row).toMatchObject({ 'orders.count': 3, orders: { count: 3, at: 'a' }, 'orders.at.month': 'm' });
  });
});
