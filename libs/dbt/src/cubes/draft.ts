import { type Model } from '../manifest/node-schemas';
import { type DimensionType } from './column-types';
import { TakenNames, usableName } from './names';

/** SQL of the data model, in which `{CUBE}` and `{name}` are references and everything else is escaped. */
export type ModelSql = string;

export interface Dimension {
  name: string;
  /** The name that it was to have. */
  wish: string;
  sql: ModelSql;
  type: DimensionType;
  title?: string | undefined;
  description?: string | undefined;
  public?: boolean | undefined;
  format?: string | undefined;
  meta?: unknown;
  /** The warehouse's column when the dimension is one and nothing else. */
  column?: string | undefined;
  /** Whether the type was declared and not told by a name. */
  typed?: boolean | undefined;
  /** Declared by a semantic model: its name is asked for by queries there. */
  semantic?: boolean | undefined;
}

export interface Measure {
  name: string;
  type: string;
  sql?: ModelSql | undefined;
  title?: string | undefined;
  description?: string | undefined;
  public?: boolean | undefined;
  format?: string | undefined;
  meta?: unknown;
  filters?: { sql: ModelSql }[] | undefined;
  rollingWindow?: { trailing?: string; offset?: string; type?: string; granularity?: string } | undefined;
  multiStage?: boolean | undefined;
  timeShift?: { timeDimension: string; interval: string; type: 'prior' }[] | undefined;
}

export interface Join {
  to: CubeDraft;
  sql: ModelSql;
  relationship: 'many_to_one' | 'one_to_many';
}

/** A cube that is being put together. */
export class CubeDraft {
  readonly names = new TakenNames();
  readonly dimensions = new Map<string, Dimension>();
  readonly measures = new Map<string, Measure>();
  /** By the name of the cube that is joined. */
  readonly joins = new Map<string, Join>();
  /** Dimensions that are the primary key together; empty while none is known. */
  keys: readonly string[] = [];
  title: string;
  description: string | undefined;
  public: boolean | undefined;
  dataSource: string | undefined;
  private readonly columns = new Map<string, Dimension>();

  constructor(
    readonly name: string,
    /** Path below the output folder, without an ending. */
    readonly stem: string,
    readonly model: Model,
    /** The table, as SQL. */
    readonly table: string,
    title: string,
  ) {
    this.title = title;
  }

  addDimension(wish: string, rest: Omit<Dimension, 'name' | 'wish'>): Dimension {
    const dimension = { name: this.names.take(wish), wish, ...rest };
    this.dimensions.set(dimension.name, dimension);
    const column = dimension.column?.toLowerCase();
    if (column !== undefined && !this.columns.has(column)) this.columns.set(column, dimension);
    return dimension;
  }

  addMeasure(wish: string, rest: Omit<Measure, 'name'>): Measure {
    this.makeRoom(wish);
    const measure = { name: this.names.take(wish, `${wish}_measure`), ...rest };
    this.measures.set(measure.name, measure);
    return measure;
  }

  /**
   * A measure is what is asked for, so a plain column of the same name gives way. Nothing may refer to the dimension by its
   * name yet.
   */
  makeRoom(measure: string): void {
    const dimension = this.dimensions.get(usableName(measure));
    if (!dimension || dimension.semantic || this.keys.includes(dimension.name)) return;
    this.dimensions.delete(dimension.name);
    this.names.free(dimension.name);
    this.names.take(measure);
    dimension.name = this.names.take(`${dimension.name}_column`);
    this.dimensions.set(dimension.name, dimension);
    this.names.free(measure);
  }

  /** The dimension that is the column, whatever case the column is written in. */
  column(name: string): Dimension | undefined {
    return this.columns.get(unquoted(name).toLowerCase());
  }

  get columnDimensions(): readonly Dimension[] {
    return [...this.columns.values()];
  }
}

/** Tests and expressions may quote a column. */
export function unquoted(name: string): string {
  return /^(["`])(.*)\1$/s.exec(name.trim())?.[2] ?? name.trim();
}
