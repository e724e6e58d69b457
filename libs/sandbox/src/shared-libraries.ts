import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';

/** Where the loader finds libraries outside its standard folders. */
const LOADER_CACHE = '/etc/ld.so.cache';
const known = new Map<string, readonly string[]>();

/** The shared libraries, the loader included, that an executable or a library needs; none for any other file. */
export function sharedLibraries(file: string): readonly string[] {
  const found = known.get(file) ?? (isElf(file) ? listed(file) : []);
  known.set(file, found);
  return found;
}

function isElf(file: string): boolean {
  if (!statSync(file).isFile()) return false;
  const descriptor = openSync(file, 'r');
  const start = Buffer.alloc(4);
  readSync(descriptor, start);
  closeSync(descriptor);
  return start.toString('latin1') === '\x7fELF';
}

function listed(file: string): string[] {
  const lines = execFileSync('ldd', [file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).split('\n');
  // `libm.so.6 => /lib/libm.so.6 (0x7f...)`, `/lib64/ld-linux.so.2 (0x7f...)`; of what is not found, no path.
  const paths = lines.map((line) => /(?:=>\s|^\s+)(\/\S+) \(0x/.exec(line)?.[1]).filter((path) => path !== undefined);
  return [...paths, ...[LOADER_CACHE].filter((path) => existsSync(path))];
}
