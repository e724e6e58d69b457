import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

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

const described = z.object({
  executable: z.string().startsWith('/'),
  paths: z.array(z.string().startsWith('/')),
  libraries: z.array(z.string().startsWith('/')),
  version: z.string(),
  adapters: z.array(z.string()),
});

const run = promisify(execFile);
const FOLDERS = ['/opt/dbt/bin', '/usr/local/bin', '/usr/bin', '/bin'];
const SHEBANG = /^#!\s*(\/\S+)/;
/** Loading all of dbt takes seconds, and minutes on a machine that has much else to do. */
const TIMEOUT_MS = 300_000;
const OUTPUT_BYTES = 1 << 20;
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
  const { libraries, ...dbt } = await describedBy(command, interpreter);
  const folders = outermost(dbt.paths);
  const further = libraries.filter((library) => !folders.some((folder) => isWithin(resolve(library), folder)));
  return { ...dbt, readable: [...folders, ...new Set(further)] };
}

async function describedBy(command: string, interpreter: string): Promise<z.infer<typeof described>> {
  const program = readFileSync(join(__dirname, 'describe-dbt.py'), 'utf8');
  const options = { env: {}, cwd: '/', timeout: TIMEOUT_MS, maxBuffer: OUTPUT_BYTES };
  try {
    const { stdout } = await run(interpreter, ['-I', '-B', '-c', program], options);
    return described.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
  } catch (cause) {
    throw new DbtMissing(`${command} does not run. ${HOW_TO}`, { cause });
  }
}

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}${sep}`);

/** Without those that lie in others. */
const outermost = (paths: readonly string[]): string[] =>
  paths.filter((path) => !paths.some((other) => other !== path && isWithin(path, other)));
