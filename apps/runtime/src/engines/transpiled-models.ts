import { createHash } from 'node:crypto';
import type { ModelFile } from '@plinth/engine';
import { LRUCache } from 'lru-cache';
import type { Place } from './engine-driver';

export type Transpiled = readonly (readonly [contentHash: string, code: string])[];

/** Characters of code that are remembered. */
const MOST_CHARACTERS = 64 << 20;
const YAML = /\.ya?ml$/;

/**
 * What engines have made of YAML files, for the next engine of the same environment, where the build of its model has not
 * made it: that of a dev branch that nobody has validated. Another environment gets none of it: its code is somebody else's.
 */
export class TranspiledModels {
  private readonly code = new LRUCache<string, string>({
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (code, key) => code.length + key.length,
  });

  keep(place: Place, transpiled: Transpiled): void {
    for (const [contentHash, code] of transpiled) this.code.set(keyOf(place, contentHash), code);
  }

  /** Of the files of a model what is known. */
  of(place: Place, model: readonly ModelFile[]): Transpiled {
    return model
      .filter(({ path }) => YAML.test(path))
      .flatMap(({ content }): Transpiled => {
        const contentHash = createHash('md5').update(content).digest('hex');
        const code = this.code.get(keyOf(place, contentHash));
        return code === undefined ? [] : [[contentHash, code]];
      });
  }
}

const keyOf = ({ tenantId, environmentId }: Place, contentHash: string): string =>
  `${tenantId}/${environmentId}/${contentHash}`;
