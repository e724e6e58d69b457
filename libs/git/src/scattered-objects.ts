import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDERS = 256;
/** Ids are hashes, so one of the folders tells how full all of them are. */
const SAMPLE = '17';

/** Beyond what count of loose objects or packs a repository is worth packing again. */
export interface ScatterLimits {
  looseObjects: number;
  packs: number;
}

export const SCATTER_LIMITS: ScatterLimits = { looseObjects: 4_096, packs: 16 };

/** Whether a repository has more loose objects, by estimate, or more packs than `limits`. Reads two folders. */
export async function isScattered(gitDir: string, limits: ScatterLimits): Promise<boolean> {
  const [sample, packs] = await Promise.all([
    names(join(gitDir, 'objects', SAMPLE)),
    names(join(gitDir, 'objects', 'pack')),
  ]);
  const loose = sample.filter((name) => !name.startsWith('tmp_')).length * FOLDERS;
  return loose > limits.looseObjects || packs.filter((name) => name.endsWith('.pack')).length > limits.packs;
}

const names = (directory: string): Promise<string[]> => readdir(directory).catch(() => []);
