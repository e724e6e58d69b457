import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { askInterpreter, type Interpreter } from './interpreter';

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

const TIMEOUT_MS = 60_000;
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
  const { implementation, version, executable, paths, readable, imported } = await described(command);
  const [major, minor] = version;
  if (implementation !== 'cpython' || major !== OLDEST[0] || minor < OLDEST[1])
    throw new PythonUnusable(`${command} is ${implementation} ${version.join('.')}, and no CPython of 3.9 or newer`);
  return { executable, paths, readable, hasPandas: imported.includes('pandas'), version: version.join('.') };
}

async function described(command: string): Promise<Interpreter> {
  try {
    const question = { modules: ['pandas'], timeoutMs: TIMEOUT_MS };
    return await askInterpreter(command, question, [TIME_ZONES].filter(existsSync));
  } catch (error) {
    throw new PythonUnusable(`${command} is no Python that can be run: ${reasonOf(error)}`, { cause: error });
  }
}

/** What a failed command says last. */
function reasonOf(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message?: string };
  return stderr?.trim().split('\n').at(-1)?.slice(0, 200) || (message ?? '').split('\n')[0]?.slice(0, 200) || 'it ends';
}
