import { type CubeDraft } from './draft';
import { usableName } from './names';

const AMOUNTS = /amount|price|cost|total|value/;

/** Every cube can be counted. */
export function addCount(cube: CubeDraft): void {
  if (!cube.measures.has('count')) cube.addMeasure('count', { type: 'count' });
}

/** Sums of numbers whose names tell that they add up. */
export function addTotals(cube: CubeDraft, keySuffixes: readonly string[]): void {
  for (const { name, column, type, sql, public: shown } of cube.columnDimensions) {
    const wanted = type === 'number' && column !== undefined && AMOUNTS.test(column.toLowerCase());
    const isKey = cube.keys.includes(name) || keySuffixes.some((end) => column?.toLowerCase().endsWith(end));
    if (!wanted || isKey || shown === false) continue;
    const measure = usableName(`total_${column}`);
    if (!cube.measures.has(measure)) cube.addMeasure(measure, { type: 'sum', sql });
  }
}
