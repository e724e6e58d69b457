import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { askInterpreter, type Interpreter } from '@plinth/python';

/** A dbt that can be run behind a wall. */
export interface DbtInstallation {
  /** Absolute path of the interpreter. */
  executable: string;
  /** Where modules are found. */
  paths: readonly string[];
  /** Folders and files that have to be seen behind the wall. */
  readable: readonly string[];
  /** For example `1.11.16`. */
  version: string;
  adapters: readonly string[];
}

/** There is no dbt; the message says what to install. */
export class DbtMissing extends Error {
  override readonly name = 'DbtMissing';
}

const FOLDERS = ['/opt/dbt/bin', '/usr/local/bin', '/usr/bin', '/bin'];
const SHEBANG = /^#!\s*(\/\S+)/;
/** Loading all of dbt takes seconds, and minutes on a machine that has much else to do. */
const TIMEOUT_MS = 300_000;
const DISTRIBUTION = 'dbt-core';
const ADAPTERS = 'dbt.adapters';
/** What adapters have in common. */
const NO_ADAPTERS: readonly string[] = [
  ...['base', 'sql', 'contracts', 'events', 'exceptions', 'cache', 'clients', 'record', 'relation_configs', 'catalogs'],
];
const HOW_TO =
  'Install dbt on the build workers (pip install dbt-core with the adapter of the data source, such as dbt-postgres) and name its command in PLINTH_DBT_COMMAND, or send a manifest instead';

/**
 * Asks the interpreter of a dbt command where everything is. Modules of the command's Python alone count.
 *
 * @throws DbtMissing when there is no such command, or no dbt
 */
export async function findDbt(command: string): Promise<DbtInstallation> {
  const script = isAbsolute(command) ? command : FOLDERS.map((folder) => join(folder, command)).find(existsSync);
  if (script === undefined || !existsSync(script)) throw new DbtMissing(`There is no command ${command}. ${HOW_TO}`);
  const [, interpreter] = SHEBANG.exec(readFileSync(script, 'latin1').slice(0, 1_000)) ?? [];
  if (interpreter === undefined) throw new DbtMissing(`${command} is no console script of Python. ${HOW_TO}`);
  const { executable, paths, readable, packages, distributions } = await described(command, interpreter);
  const version = distributions[DISTRIBUTION];
  if (!version) throw new DbtMissing(`${command} has no ${DISTRIBUTION}. ${HOW_TO}`);
  const adapters = (packages[ADAPTERS] ?? []).filter((name) => !NO_ADAPTERS.includes(name));
  return { executable, paths, readable, version, adapters };
}

async function described(command: string, interpreter: string): Promise<Interpreter> {
  try {
    return await askInterpreter(interpreter, {
      modules: ['dbt.cli.main'],
      packages: [ADAPTERS],
      distributions: [DISTRIBUTION],
      timeoutMs: TIMEOUT_MS,
    });
  } catch (cause) {
    throw new DbtMissing(`${command} does not run. ${HOW_TO}`, { cause });
  }
}
