import { type CatalogColumn } from '../manifest/catalog';
import { type ModelColumn } from '../manifest/node-schemas';
import { literal } from './literal';
import { type Report } from '../report';
import { type DimensionType, typeOfDataType, typeOfName } from './column-types';
import { type CubeDraft } from './draft';
import { isIdentifier } from './names';
import { type Overrides } from './overrides';
import { type Warehouse } from './warehouse';

/** Makes dimensions of the columns of models. */
export class Dimensions {
  constructor(
    private readonly warehouse: Warehouse,
    private readonly overrides: Overrides,
    private readonly descriptions: boolean,
    private readonly report: Report,
  ) {}

  /** @param catalog the columns that exist, where that is known: documented ones that do not are left out, others added */
  addTo(cube: CubeDraft, catalog: readonly CatalogColumn[] | undefined): void {
    const existing = new Map(catalog?.map((column) => [column.name.toLowerCase(), column]));
    const documented = new Set(cube.model.columns.map(({ name }) => name.toLowerCase()));
    for (const column of cube.model.columns) {
      const real = existing.get(column.name.toLowerCase());
      const reason = this.reasonAgainst(column, catalog !== undefined, real);
      if (reason) this.report.skip(`column ${cube.model.name}.${column.name}`, reason);
      else this.add(cube, column, real);
    }
    for (const real of catalog ?? []) {
      if (!documented.has(real.name.toLowerCase())) this.add(cube, undocumented(real.name), real);
    }
  }

  private reasonAgainst(column: ModelColumn, known: boolean, real: CatalogColumn | undefined): string | undefined {
    if (this.overrides.ofColumn(column).exclude) return 'meta.cube.exclude';
    if (known) return real ? undefined : 'it is documented, but not in the catalog';
    // Without quotes such a column cannot exist: what is documented is most likely a slip.
    const possible = isIdentifier(column.name) || isQuoted(column);
    return possible ? undefined : 'it is no identifier, and not declared with `quote: true`';
  }

  private add(cube: CubeDraft, column: ModelColumn, real: CatalogColumn | undefined): void {
    const { name: wish = column.name, title, format, public: shown, description } = this.overrides.ofColumn(column);
    const physical = real?.name ?? column.name;
    cube.addDimension(wish, {
      sql: `{CUBE}.${literal(this.warehouse.column(physical, isQuoted(column)))}`,
      ...this.typeOf(column, real),
      title,
      format,
      public: shown,
      description: description ?? (this.descriptions ? (column.description ?? undefined) : undefined),
      meta: this.overrides.metaOf(column),
      column: physical,
    });
  }

  private typeOf(column: ModelColumn, real: CatalogColumn | undefined): { type: DimensionType; typed: boolean } {
    const declared =
      this.overrides.ofColumn(column).type ??
      typeOfDataType(column.data_type ?? '') ??
      typeOfDataType(real?.type ?? '');
    return { type: declared ?? typeOfName(column.name) ?? 'string', typed: declared !== undefined };
  }
}

function isQuoted({ quote }: ModelColumn): boolean {
  return quote === true || quote === 'true';
}

function undocumented(name: string): ModelColumn {
  return { name, quote: false, meta: undefined };
}
