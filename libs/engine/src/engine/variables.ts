/** Environment variables of a deployment, as the packages of the engine get them. */
export interface EngineVariables {
  /** For the engine process: with the credentials of the data sources. */
  engine: Record<string, string>;
  /** For the model process: what a model's SQL depends on, no secrets. */
  model: Record<string, string>;
  /** Kinds of the databases by the names of their data sources. */
  databases: Record<string, string>;
  /** Names that are left out. */
  ignored: string[];
}

/** How queries are written and what they mean; read by the compiler, and some by the gateway as well. */
const OF_MODELS = [
  ...['CUBEJS_ACCESS_POLICY_MASK_BOOLEAN', 'CUBEJS_ACCESS_POLICY_MASK_NUMBER', 'CUBEJS_ACCESS_POLICY_MASK_STRING'],
  ...['CUBEJS_ACCESS_POLICY_MASK_TIME', 'CUBEJS_ALLOW_UNGROUPED_WITHOUT_PRIMARY_KEY', 'CUBEJS_DEFAULT_TIMEZONE'],
  ...['CUBEJS_DB_MSSQL_USE_NAMED_TIMEZONES', 'CUBEJS_DB_MYSQL_USE_GENERATED_TIME_SERIES'],
  ...['CUBEJS_DB_MYSQL_USE_NAMED_TIMEZONES', 'CUBEJS_NESTED_FOLDERS_DELIMITER', 'CUBEJS_REFRESH_KEY_LOCAL_TIME'],
  ...['CUBEJS_PRE_AGGREGATIONS_ALLOW_NON_STRICT_DATE_RANGE_MATCH', 'CUBESQL_SQL_PUSH_DOWN'],
];
const OF_THE_ENGINE = [
  ...['CUBEJS_DATASOURCES', 'CUBEJS_DROP_PRE_AGG_WITHOUT_TOUCH', 'CUBEJS_MAX_PARTITIONS_PER_CUBE'],
  ...['CUBEJS_MAX_SOURCE_ROW_LIMIT', 'CUBEJS_PRE_AGGREGATIONS_SCHEMA', 'CUBEJS_ROLLUP_ONLY'],
  ...['CUBEJS_TOUCH_PRE_AGG_TIMEOUT', 'CUBEJS_TOUCH_PRE_AGG_CACHE_MAX_AGE', 'CUBEJS_TOUCH_PRE_AGG_CACHE_MAX_COUNT'],
];
/** What drivers read; `DS_<name>_` stands for a named data source. */
const OF_DRIVERS = /^CUBEJS_(?:DS_[A-Z0-9_]+?_)?(?:DB|AWS|DATABASE|FIREBOLT)(?:_[A-Z0-9_]+)?$/;
/** These name files of the machine, or programs that are to be run. */
const OF_THE_MACHINE = /_(?:PATH|FILE|DIR|MOUNT_DIR|KEY_FILE|EXTENSIONS)$|EXPORT_BUCKET|_USE_CREDENTIAL_CHAIN$/;
/** A certificate itself, or the path of one. */
const CERTIFICATE = /_SSL_(?:CA|CERT|KEY)$/;
const PEM = /^\s*-----BEGIN /;

/** Sorts out what a deployment has set: what no package of the engine knows, and what reaches into the machine, is left out. */
export function selectVariables(given: Readonly<Record<string, string>>): EngineVariables {
  const model = pick(given, (name) => OF_MODELS.includes(name));
  const engine = pick(
    given,
    (name, value) => OF_MODELS.includes(name) || OF_THE_ENGINE.includes(name) || isOfDriver(name, value),
  );
  const ignored = Object.keys(given).filter((name) => !(name in engine));
  return { engine, model, databases: databasesOf(engine), ignored };
}

function isOfDriver(name: string, value: string): boolean {
  if (!OF_DRIVERS.test(name) || OF_THE_MACHINE.test(name)) return false;
  return !CERTIFICATE.test(name) || PEM.test(value);
}

function databasesOf(engine: Readonly<Record<string, string>>): Record<string, string> {
  const names = (engine['CUBEJS_DATASOURCES'] ?? 'default').split(',').map((name) => name.trim());
  const type = engine['CUBEJS_DB_TYPE'];
  const databases = [...new Set([...names, 'default'])].flatMap((name) => {
    const own = engine[`CUBEJS_DS_${name.toUpperCase()}_DB_TYPE`] ?? type;
    return own === undefined || own === '' ? [] : [[name, own] as const];
  });
  return Object.fromEntries(databases);
}

function pick(
  given: Readonly<Record<string, string>>,
  keep: (name: string, value: string) => boolean,
): Record<string, string> {
  return Object.fromEntries(Object.entries(given).filter(([name, value]) => keep(name, value)));
}
