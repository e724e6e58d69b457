/** What dbt is told of a data source, which it never connects to: every adapter wants other fields. */
const CREDENTIALS: Readonly<Record<string, (database: string, schema: string) => object>> = {
  postgres: (dbname, schema) => ({ ...server(5432), dbname, schema }),
  redshift: (dbname, schema) => ({ ...server(5439), dbname, schema }),
  duckdb: (database, schema) => ({ path: `${database}.duckdb`, schema }),
  snowflake: (database, schema) => ({ account: NONE, user: NONE, password: NONE, warehouse: NONE, database, schema }),
  bigquery: (project, dataset) => ({ method: 'oauth', project, dataset }),
  databricks: (catalog, schema) => ({ host: NONE, http_path: NONE, token: NONE, catalog, schema }),
  athena: (database, schema) => ({ s3_staging_dir: 's3://none/', region_name: 'us-east-1', database, schema }),
  clickhouse: (_database, schema) => ({ host: 'localhost', user: NONE, password: NONE, schema }),
};

/** Adapters by the `CUBEJS_DB_TYPE` of a deployment. */
const ADAPTERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.keys(CREDENTIALS).map((name) => [name, name])),
  'databricks-jdbc': 'databricks',
  motherduck: 'duckdb',
};

const NONE = 'none';
const server = (port: number): object => ({ host: 'localhost', port, user: NONE, password: NONE });

export interface Target {
  profile: string;
  adapter: string;
  name: string;
  database: string;
  schema: string;
}

/** The adapter for a data source; undefined for one that has none. */
export const adapterFor = (databaseType: string | undefined): string | undefined =>
  databaseType === undefined ? 'postgres' : ADAPTERS[databaseType];

export const isKnownAdapter = (adapter: string): boolean => adapter in CREDENTIALS;

/** The content of `profiles.yml`: names that decide where tables are, and no secret. */
export function profilesOf({ profile, adapter, name, database, schema }: Target): object {
  const credentials = CREDENTIALS[adapter]?.(database, schema) ?? {};
  return { [profile]: { target: name, outputs: { [name]: { type: adapter, threads: 1, ...credentials } } } };
}
