import type { ChartColumn } from '../scene';
import { columnsOf, formatterOf } from './format-value';

const english = { locale: 'en-US', timeZone: 'America/New_York' };
const german = { locale: 'de-DE', timeZone: 'Europe/Berlin' };
const column = (type: string, format: string | null = null, more: Partial<ChartColumn> = {}): ChartColumn => ({
  ...{ name: 'a', title: 'A', type, format, decimalPlaces: null },
  ...more,
});
const written = (each: ChartColumn, values: unknown[], tongue = english) =>
  values.map(formatterOf(each, tongue, values)).map((text) => text.replace(/[\u00a0\u202f]/g, ' '));

describe('a value', () => {
  it('that is none is a dash, and one that is no number stays what it is', () => {
    expect(written(column('number'), [null, undefined, '', 'many', true])).toEqual(['–', '–', '–', 'many', 'true']);
    expect(written(column('time'), [null, 'soon'])).toEqual(['–', 'soon']);
    expect(written(column('string'), [null, { a: 1 }, 'x'.repeat(2_000)])[2]).toHaveLength(1_001);
  });

  it('is written in a language and a time zone that are there when the wanted ones are not', () => {
    const nowhere = { locale: 'no such', timeZone: 'Mars/Base' };
    expect(written(column('number'), ['1234.5'], nowhere)).toEqual(['1,234.50']);
    expect(written(column('time'), ['2025-01-01T12:30:00Z'], nowhere)).toEqual(['Jan 1, 2025, 12:30 PM']);
  });

  it('has the digits that its column, its format or the numbers beside it want', () => {
    expect(written(column('number', 'number', { decimalPlaces: 3 }), [1])).toEqual(['1.000']);
    expect(written(column('number', 'number', { decimalPlaces: 99 }), [1])).toEqual([`1.${'0'.repeat(20)}`]);
    expect(written(column('number', 'percent_2'), [0.12345])).toEqual(['12.35%']);
    expect(written(column('number'), ['1', '2.5'])).toEqual(['1.00', '2.50']);
    expect(written(column('number'), ['1000', '2'])).toEqual(['1,000', '2']);
  });

  it('is written as money, as a part of a hundred and as a number', () => {
    expect(written(column('number', 'currency'), ['1234.5'])).toEqual(['$1,234.50']);
    expect(written(column('number', 'currency', { currency: 'EUR' }), [1234.5], german)).toEqual(['1.234,50 €']);
    expect(written(column('number', 'currency', { currency: 'no code' }), [1])).toEqual(['$1.00']);
    expect(written(column('number', 'percent'), [0.0961], german)).toEqual(['9,6 %']);
  });

  it('is a day or a time of the reader, in whose zone those without a zone are already', () => {
    expect(written(column('time'), ['2025-01-01T00:00:00.000'])).toEqual(['Jan 1, 2025']);
    expect(written(column('time'), ['2025-01-01'])).toEqual(['Jan 1, 2025']);
    expect(written(column('time'), ['2025-01-01T00:00:00.000', '2025-01-01T12:00:00.000'])[0]).toBe(
      'Jan 1, 2025, 12:00 AM',
    );
    expect(written(column('time'), ['2025-01-01T03:00:00Z'])).toEqual(['Dec 31, 2024, 10:00 PM']);
    expect(written(column('time'), ['2025-01-01T03:00:00+00:00'], german)).toEqual(['01.01.2025, 04:00']);
  });

  it('is a month, a quarter or a year where the name of the column says so', () => {
    const times = ['2025-04-01T00:00:00.000'];
    expect(written(column('time', null, { name: 'o.at.month' }), times)).toEqual(['Apr 2025']);
    expect(written(column('time', null, { name: 'o.at.quarter' }), times)).toEqual(['Q2 2025']);
    expect(written(column('time', null, { name: 'o.at.year' }), times)).toEqual(['2025']);
  });

  it('is written as the people who made the report prefer', () => {
    const preferences = { columnFormats: { a: { type: 'percent', decimalPlaces: 0 } } };
    const [preferred] = columnsOf({ columns: [column('number', 'currency')], preferences });
    expect(written(preferred!, [0.5])).toEqual(['50%']);
  });
});
