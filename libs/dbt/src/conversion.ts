import { type Catalog } from './manifest/catalog';

/** How models become cubes. */
export interface ConversionOptions {
  /** Folder of the generated files in the data model project; it belongs to the sync. */
  outputPath: string;
  /** Put before the name of a model, which makes the name of its cube. */
  namePrefix: string;
  /** Put before the alias of a model, which makes the title of its cube. */
  titlePrefix: string;
  /** Only models in a folder of this name become cubes; null takes all. */
  martsFolder: string | null;
  /** Primary keys by names, where nothing better tells them. */
  keysFromNames: boolean;
  /** Ends of names of columns that may be keys. */
  keySuffixes: readonly string[];
  /** Whole names of columns that may be keys. */
  keyNames: readonly string[];
  /** Primary keys by `unique` and `not_null` tests. */
  keysFromTests: boolean;
  /** Sums of numeric columns whose names tell amounts. */
  defaultMeasures: boolean;
  /** Descriptions of models and columns. */
  descriptions: boolean;
  /** Joins by `relationships` tests and foreign keys. */
  joins: boolean;
  /** The same joins from the other side too. */
  reverseJoins: boolean;
  /** Entities, dimensions, measures and metrics of semantic models, saved queries and exposures. */
  semanticLayer: boolean;
  /** `meta`, tags, access and group of models and columns, and what `meta.cube` overrides. */
  meta: boolean;
}

/** What the hosted platform does unless told otherwise. */
export const DEFAULT_OPTIONS: ConversionOptions = {
  outputPath: '/model/cubes/dbt',
  namePrefix: 'dbt_',
  titlePrefix: '(dbt) ',
  martsFolder: null,
  keysFromNames: true,
  keySuffixes: ['_id'],
  keyNames: ['id'],
  keysFromTests: true,
  defaultMeasures: true,
  descriptions: true,
  joins: true,
  reverseJoins: false,
  semanticLayer: false,
  meta: false,
};

/** What a run knows besides the manifest. */
export interface ConversionContext {
  /** Columns and types as the warehouse has them (`dbt docs generate`). */
  catalog?: Catalog | undefined;
  /** The `unique_id`s that a selector chose (`dbt ls --select ... --output json`); absent, all models are. */
  selected?: ReadonlySet<string> | undefined;
  /** The selector itself, for the message when it chose nothing. */
  selector?: string | undefined;
}

/** A file of the data model project; its path begins without a slash. */
export interface GeneratedFile {
  path: string;
  content: string;
}

/** What of the dbt project is not in the data model, and why, for people. */
export interface Skipped {
  /** Kind and name, such as `metric revenue` or `join dbt_orders -> dbt_customers`. */
  what: string;
  reason: string;
}

/** What the manifest says of itself; for display alone. */
export interface ManifestStats {
  models: number;
  sources: number;
  macros: number;
  dbtVersion?: string | undefined;
  /** ISO 8601, when dbt wrote the manifest. */
  generatedAt?: string | undefined;
}

export interface Conversion {
  /** In the order of their paths; equal input gives equal bytes. */
  files: GeneratedFile[];
  cubes: number;
  views: number;
  dimensions: number;
  measures: number;
  joins: number;
  /** Metrics of the semantic layer that became measures. */
  metrics: number;
  skipped: Skipped[];
  /** Names that are others in the data model: taken ones, and those that the compiler cannot read. */
  renamed: { from: string; to: string }[];
  /** What was left out of something that was converted. */
  warnings: string[];
  /** Paths of models that exist and were not chosen: files there are kept. */
  unselected: string[];
  stats: ManifestStats;
}

/** Filters let no model through, or there is none. The message names the filters, for people. */
export class NoModelMatched extends Error {
  override name = 'NoModelMatched';
}
