import { readFile } from 'node:fs/promises';

/** @throws Error naming the file, and the line when one of several is no JSON */
export async function readJson(file: string): Promise<unknown> {
  return parse(file, await read(file));
}

/** The lines of a file that are JSON objects: a log may have others in between. */
export async function readJsonLines(file: string): Promise<unknown[]> {
  const lines = (await read(file)).split('\n').map((text, index) => ({ text, place: `${file}:${index + 1}` }));
  return lines.filter(({ text }) => text.startsWith('{')).map(({ text, place }) => parse(place, text));
}

/** @throws Error naming the file and the place when a value is no object, or has fields of other names */
export function requireFields(file: string, value: unknown, known: readonly string[]): asserts value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${file}: is no object`);
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new Error(`${file}: there is no field ${unknown.join(', ')}; there are ${known.join(', ')}`);
  }
}

function parse(place: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`${place}: is no JSON: ${(error as Error).message}`, { cause: error });
  }
}

const read = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'there is no such file' : (error.code ?? error.message);
    throw new Error(`${file}: ${reason}`, { cause: error });
  });
