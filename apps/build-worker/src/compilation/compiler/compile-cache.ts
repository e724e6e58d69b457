import { LRUCache } from 'lru-cache';
import { type CompileResult } from './compile-result';

/**
 * Results of compilations by all that they depend on, the owner of the code included: code that one owner ran before may
 * have forged a result. What is being compiled is not compiled a second time; whoever asks meanwhile waits for the same
 * result. Compilations that were aborted or failed are not kept.
 */
export class CompileCache {
  private readonly results: LRUCache<string, Promise<CompileResult>>;

  constructor(maxResults = 500) {
    this.results = new LRUCache({ max: maxResults });
  }

  async get(key: string, compile: () => Promise<CompileResult>): Promise<CompileResult> {
    const known = this.results.get(key);
    if (known) return known;
    const result = compile();
    this.results.set(key, result);
    const forget = () => {
      if (this.results.peek(key) === result) this.results.delete(key);
    };
    result.then(({ aborted }) => aborted && forget(), forget);
    return result;
  }
}
