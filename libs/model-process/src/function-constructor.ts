import vm from 'node:vm';

const { createContext, runInContext } = vm;

/**
 * The compiler and nunjucks make functions from text, in which models have a say. The process forbids code from strings,
 * because every function's `constructor` would do for a model to climb out of its context; the global `Function`, which
 * models cannot reach, is replaced by one whose functions see nothing but the language itself.
 */
export function replaceFunctionConstructor(): void {
  const bare = createContext({}, { codeGeneration: { strings: false, wasm: false } });
  const make = function (...text: string[]): unknown {
    const body = text.at(-1) ?? '';
    // In the words of the original, since the compiler reads the parameters from the function's text.
    return runInContext(`(function anonymous(${text.slice(0, -1).join(',')}\n) {\n${body}\n})`, bare);
  };
  make.prototype = Function.prototype;
  Object.defineProperty(globalThis, 'Function', { value: make });
}
