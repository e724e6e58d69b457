import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes of all files below a folder; what vanishes meanwhile counts as nothing. */
export async function folderSize(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) bytes += await folderSize(path);
    else if (entry.isFile())
      bytes += await stat(path).then(
        ({ size }) => size,
        () => 0,
      );
  }
  return bytes;
}
