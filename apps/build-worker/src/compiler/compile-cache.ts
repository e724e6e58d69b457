import { LRUCache } from 'lru-cache';
import { type CompileResult } from './compile-result';

/**
 * Results of compilations by git tree id: equal trees have equal results. A tree that is being compiled is not compiled a
 * second time; whoever asks meanwhile waits for the same result. Compilations that were aborted or failed are not kept.
 */
export class CompileCache {
  private readonly results: LRUCache<string, Promise<CompileResult>>;

  constructor(maxResults = 500) {
    this.results = new LRUCache({ max: maxResults });
  }

  async get(tree: string, compile: () => Promise<CompileResult>): Promise<CompileResult> {
    const known = this.results.get(tree);
    if (known) return known;
    const result = compile();
    this.results.set(tree, result);
    const forget = () => {
      if (this.results.peek(tree) === result) this.results.delete(tree);
    };
    result.then(({ aborted }) => aborted && forget(), forget);
    return result;
  }
}
