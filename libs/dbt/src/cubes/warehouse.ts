import { isIdentifier } from './names';

const BACKTICKS: ReadonlySet<string> = new Set(['bigquery', 'databricks', 'spark', 'mysql', 'clickhouse']);
/** A connection of these reaches one database, and the name of another would be refused. */
const ONE_DATABASE: ReadonlySet<string> = new Set(['postgres', 'athena', 'clickhouse', 'mysql']);
const FLOATS: Readonly<Record<string, string>> = {
  bigquery: 'FLOAT64',
  clickhouse: 'Nullable(Float64)',
  databricks: 'DOUBLE',
  spark: 'DOUBLE',
  athena: 'DOUBLE',
  trino: 'DOUBLE',
  duckdb: 'DOUBLE',
  mysql: 'DOUBLE',
};
const PART = /"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|[^.]+/g;

/** How the warehouse of a project writes names. */
export class Warehouse {
  private readonly quote: string;

  /** @param adapter dbt's name for the kind of warehouse */
  constructor(readonly adapter: string) {
    this.quote = BACKTICKS.has(adapter) ? '`' : '"';
  }

  /** A column as SQL has it: quoted when it must be. */
  column(name: string, quoted: boolean): string {
    return isIdentifier(name) && !quoted ? name : this.quoted(name);
  }

  /** The table or view of a model, as dbt resolved it. */
  relation(model: {
    name: string;
    relation_name?: string | null | undefined;
    database?: string | null | undefined;
    schema?: string | null | undefined;
    alias?: string | null | undefined;
  }): string {
    const resolved = model.relation_name?.match(PART) ?? [];
    const parts =
      resolved.length > 0
        ? [...resolved]
        : [model.database, model.schema, model.alias ?? model.name]
            .filter((part) => part)
            .map((part) => this.part(part));
    const reachable = parts.length === 3 && ONE_DATABASE.has(this.adapter) ? parts.slice(1) : parts;
    return reachable.map((part) => this.plain(part)).join('.');
  }

  /** The beginning of a period that a point in time is in. */
  truncated(time: string, grain: string): string {
    if (this.adapter === 'bigquery') return `TIMESTAMP_TRUNC(${time}, ${grain.toUpperCase()})`;
    return `DATE_TRUNC('${grain}', ${time})`;
  }

  /** A division that keeps fractions, and is nothing where the divisor is zero. */
  ratio(numerator: string, denominator: string): string {
    const type = FLOATS[this.adapter] ?? 'DOUBLE PRECISION';
    return `CAST(${numerator} AS ${type}) / NULLIF(CAST(${denominator} AS ${type}), 0)`;
  }

  /** @returns undefined where the warehouse has none as an aggregate */
  percentile(value: string, fraction: number, discrete: boolean): string | undefined {
    switch (this.adapter) {
      case 'bigquery':
        return `APPROX_QUANTILES(${value}, 1000)[OFFSET(${Math.round(fraction * 1000)})]`;
      case 'clickhouse':
        return discrete ? `quantileExact(${fraction})(${value})` : `quantileExactInclusive(${fraction})(${value})`;
      case 'athena':
      case 'trino':
        return `APPROX_PERCENTILE(${value}, ${fraction})`;
      case 'mysql':
        return undefined;
      default:
        return `PERCENTILE_${discrete ? 'DISC' : 'CONT'}(${fraction}) WITHIN GROUP (ORDER BY ${value})`;
    }
  }

  private part(name: string | null | undefined): string {
    return isIdentifier(name ?? '') ? (name ?? '') : this.quoted(name ?? '');
  }

  /** Without quotes where these change nothing: a lower-case word, except where plain words become upper case. */
  private plain(part: string): string {
    const inner = /^(["`])(.*)\1$/.exec(part)?.[2];
    if (inner === undefined || !/^[a-z_][a-z0-9_]*$/.test(inner) || this.adapter === 'snowflake') return part;
    return RESERVED.has(inner) ? part : inner;
  }

  private quoted(name: string): string {
    return this.quote + name.split(this.quote).join(this.quote + this.quote) + this.quote;
  }
}

/** Words that name tables only in quotes, in one warehouse or another. */
const RESERVED: ReadonlySet<string> = new Set(
  'all and any array as between both case cast check collate column constraint create cross current default desc distinct do else end except exists false fetch for foreign from full grant group having in inner intersect interval into is join lateral leading left like limit natural new not null of off offset on only or order outer over partition primary references right row rows select session set some table then to trailing true union unique unnest user using values view when where window with'.split(
    ' ',
  ),
);
