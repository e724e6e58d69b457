import { type ConversionOptions } from '../conversion';
import { type DataTests } from './data-tests';
import { type CubeDraft, type Dimension } from './draft';

type KeyOptions = Pick<ConversionOptions, 'keysFromNames' | 'keySuffixes' | 'keyNames' | 'keysFromTests'>;

/**
 * Finds primary keys: by the first of these that gives one. A key that is none would make counts wrong wherever a join
 * multiplies rows, so what is ambiguous gives none.
 */
export class PrimaryKeys {
  constructor(
    private readonly tests: DataTests,
    private readonly options: KeyOptions,
  ) {}

  /** Of what the project declares: constraints, then tests. */
  declared(cube: CubeDraft): readonly string[] {
    const constrained = constraintColumns(cube).map((column) => cube.column(column)?.name);
    if (constrained.length > 0 && constrained.every((name) => name !== undefined)) return constrained;
    return this.options.keysFromTests ? this.tested(cube) : [];
  }

  /** Of what names suggest. */
  guessed(cube: CubeDraft): readonly string[] {
    if (!this.options.keysFromNames) return [];
    const { keyNames, keySuffixes } = this.options;
    const columns = cube.columnDimensions.filter(({ column }) => column !== undefined);
    const exact = columns.find((dimension) => keyNames.includes(columnName(dimension)));
    if (exact) return [exact.name];
    const candidates = columns.filter((dimension) => keySuffixes.some((end) => columnName(dimension).endsWith(end)));
    const own = candidates.find((dimension) => isNamedAfter(cube, dimension));
    if (own) return [own.name];
    const foreign = this.foreign(cube);
    const rest = candidates.filter((dimension) => !foreign.has(columnName(dimension)));
    return rest.length === 1 ? rest.map(({ name }) => name) : [];
  }

  private tested(cube: CubeDraft): readonly string[] {
    const { unique_id } = cube.model;
    const unique = this.tests.proven(unique_id, 'unique');
    const filled = this.tests.proven(unique_id, 'not_null');
    const foreign = this.foreign(cube);
    const rank = (dimension: Dimension): number =>
      (isNamedAfter(cube, dimension) ? 0 : 2) + (foreign.has(columnName(dimension)) ? 1 : 0);
    const candidates = cube.columnDimensions
      .filter((dimension) => unique.has(columnName(dimension)) && filled.has(columnName(dimension)))
      .sort((a, b) => rank(a) - rank(b));
    return candidates.slice(0, 1).map(({ name }) => name);
  }

  private foreign(cube: CubeDraft): ReadonlySet<string> {
    const tested = this.tests.relationships(cube.model.unique_id).map(({ column }) => column);
    const constrained = foreignKeys(cube).flatMap(({ columns }) => columns);
    return new Set([...tested, ...constrained].map((column) => column.toLowerCase()));
  }
}

/** Foreign keys that the model declares, of the model and of its columns. */
export function foreignKeys({ model }: CubeDraft): { columns: string[]; to: string; toColumns: string[] }[] {
  const all = [
    ...(model.constraints ?? []),
    ...model.columns.flatMap(({ name, constraints }) =>
      (constraints ?? []).map((constraint) => ({ ...constraint, columns: [name] })),
    ),
  ];
  return all
    .filter(({ type }) => type === 'foreign_key')
    .map(({ columns, to, to_columns }) => ({ columns: columns ?? [], to: to ?? '', toColumns: to_columns ?? [] }));
}

function constraintColumns({ model }: CubeDraft): string[] {
  const whole = (model.constraints ?? []).find(({ type }) => type === 'primary_key');
  if (whole?.columns?.length) return whole.columns;
  return model.columns
    .filter(({ constraints }) => constraints?.some(({ type }) => type === 'primary_key'))
    .map(({ name }) => name);
}

function columnName({ column }: Dimension): string {
  return (column ?? '').toLowerCase();
}

const LAYERS = /^(stg|int|dim|fct|fact|base|src|mart|rpt)_+/;

/** `order_id` or `order` of the models `orders`, `stg_orders` and `stg_shop__orders`. */
function isNamedAfter({ model }: CubeDraft, dimension: Dimension): boolean {
  const plural = model.name.toLowerCase().replace(LAYERS, '').split('__').at(-1) ?? '';
  const stems = [plural, plural.replace(/ies$/, 'y'), plural.replace(/es$/, ''), plural.replace(/s$/, '')];
  const column = columnName(dimension);
  return stems.some(
    (stem) => column === stem || ['_id', '_key', '_sk', '_pk', 'id'].some((end) => column === stem + end),
  );
}
