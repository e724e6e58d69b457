import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

/** What is asked of an interpreter, besides where everything is. */
export interface InterpreterQuestion {
  /** Modules whose binary parts programs will need; those that can be imported are named. */
  modules?: readonly string[];
  /** Packages of which the same is asked for every package in them. */
  packages?: readonly string[];
  /** Distributions, as pip installs them, whose versions are told. */
  distributions?: readonly string[];
  /** Milliseconds until it must have answered: loading large packages takes long. */
  timeoutMs: number;
}

const described = z.object({
  implementation: z.string(),
  version: z.tuple([z.int(), z.int(), z.int()]),
  executable: z.string().startsWith('/'),
  paths: z.array(z.string().startsWith('/')),
  libraries: z.array(z.string().startsWith('/')),
  imported: z.array(z.string()),
  packages: z.record(z.string(), z.array(z.string())),
  distributions: z.record(z.string(), z.string().nullable()),
});

/** An interpreter of Python, with all that programs read of it. */
export interface Interpreter extends Omit<z.infer<typeof described>, 'libraries'> {
  /** Folders and files that have to be seen behind a wall. */
  readable: readonly string[];
}

const run = promisify(execFile);
const OUTPUT_BYTES = 1 << 20;

/**
 * Asks an interpreter, as the operator has it, where it and its modules are.
 *
 * @param more - folders that programs read besides
 * @throws Error when it does not run, or does not answer in time
 */
export async function askInterpreter(
  command: string,
  { modules = [], packages = [], distributions = [], timeoutMs }: InterpreterQuestion,
  more: readonly string[] = [],
): Promise<Interpreter> {
  const program = readFileSync(join(__dirname, 'discover.py'), 'utf8');
  const question = JSON.stringify({ modules, packages, distributions });
  const options = { env: {}, cwd: '/', timeout: timeoutMs, maxBuffer: OUTPUT_BYTES };
  const { stdout } = await run(command, ['-I', '-B', '-c', program, question], options);
  // What is imported may print, too.
  const { libraries, ...answer } = described.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
  const folders = outermost([...answer.paths, ...more]);
  const further = libraries.filter((library) => !folders.some((folder) => isWithin(resolve(library), folder)));
  return { ...answer, readable: [...folders, ...new Set(further)] };
}

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}${sep}`);

/** Without those that lie in others. */
const outermost = (paths: readonly string[]): string[] =>
  [...new Set(paths)].filter((path) => !paths.some((other) => other !== path && isWithin(path, other)));
