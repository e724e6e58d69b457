export type Variables = Readonly<Record<string, string>>;

/** Names of variables that hold secrets, as the platform masks them. */
const SECRET = /PASS|SECRET|TOKEN|KEY|CREDENTIAL/i;
const MASK = '[ENCRYPTED]';
const DATABASE = /^CUBEJS_DB_/;

/**
 * What a project may read by `env_var`: variables of the data source, and those that were picked. Nothing that is secret is
 * needed to read a project, so it stands there masked.
 */
export function environmentOf(variables: Variables, picked: readonly string[]): Record<string, string> {
  const names = Object.keys(variables).filter((name) => DATABASE.test(name) || picked.includes(name));
  return {
    ...Object.fromEntries(names.map((name) => [name, SECRET.test(name) ? MASK : (variables[name] ?? '')])),
    HOME: '/nonexistent',
    LC_ALL: 'C.UTF-8',
    DO_NOT_TRACK: '1',
    DBT_SEND_ANONYMOUS_USAGE_STATS: 'false',
  };
}
