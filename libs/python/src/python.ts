import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

/** A Python that programs can be run by, with all that they read of it. */
export interface Python {
  /** Absolute path of the interpreter itself. */
  executable: string;
  /** Where modules are found. */
  paths: readonly string[];
  /** Folders and files that have to be seen behind a wall. */
  readable: readonly string[];
  hasPandas: boolean;
  /** For example `3.11.2`. */
  version: string;
}

/** The command is no Python that can be used; the message is a sentence for the operator. */
export class PythonUnusable extends Error {
  override readonly name = 'PythonUnusable';
}

const found = z.object({
  implementation: z.string(),
  version: z.tuple([z.int(), z.int(), z.int()]),
  executable: z.string().startsWith('/'),
  paths: z.array(z.string().startsWith('/')),
  libraries: z.array(z.string().startsWith('/')),
  hasPandas: z.boolean(),
});

const run = promisify(execFile);
const TIMEOUT_MS = 60_000;
const OUTPUT_BYTES = 1 << 20;
const OLDEST = [3, 9] as const;
const TIME_ZONES = '/usr/share/zoneinfo';

/**
 * Asks an interpreter, as the operator has it, where it and its modules are. pandas counts when it can be imported.
 *
 * @param command - absolute path of a CPython of 3.9 or newer; that of a virtual environment will do
 * @throws PythonUnusable when there is no such Python
 */
export async function findPython(command: string): Promise<Python> {
  if (!isAbsolute(command)) throw new PythonUnusable(`${command} is no absolute path`);
  const { implementation, version, executable, paths, libraries, hasPandas } = await described(command);
  const [major, minor] = version;
  if (implementation !== 'cpython' || major !== OLDEST[0] || minor < OLDEST[1])
    throw new PythonUnusable(`${command} is ${implementation} ${version.join('.')}, and no CPython of 3.9 or newer`);
  const folders = outermost([...paths, ...[TIME_ZONES].filter(existsSync)]);
  const further = libraries.filter((library) => !folders.some((folder) => isWithin(resolve(library), folder)));
  const readable = [...folders, ...new Set(further)];
  return { executable, paths, readable, hasPandas, version: version.join('.') };
}

async function described(command: string): Promise<z.infer<typeof found>> {
  const program = readFileSync(join(__dirname, 'discover.py'), 'utf8');
  const options = { env: {}, cwd: '/', timeout: TIMEOUT_MS, maxBuffer: OUTPUT_BYTES };
  try {
    const { stdout } = await run(command, ['-I', '-B', '-c', program], options);
    return found.parse(JSON.parse(stdout));
  } catch (error) {
    throw new PythonUnusable(`${command} is no Python that can be run: ${reasonOf(error)}`, { cause: error });
  }
}

/** What a failed command says last. */
function reasonOf(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message?: string };
  return stderr?.trim().split('\n').at(-1)?.slice(0, 200) || (message ?? '').split('\n')[0]?.slice(0, 200) || 'it ends';
}

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}${sep}`);

/** Without those that lie in others. */
const outermost = (paths: readonly string[]): string[] =>
  [...new Set(paths)].filter((path) => !paths.some((other) => other !== path && isWithin(path, other)));
