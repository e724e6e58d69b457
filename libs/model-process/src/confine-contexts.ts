import vm from 'node:vm';
import { replace } from './refusal';

const { createContext, Script } = vm;

/** A script as models meet it on their stack: it runs in a context, and leads to nothing else. */
const RUNNABLE = Object.freeze({ __proto__: null, runInContext: Script.prototype.runInContext });

/**
 * What a context begins with: no WebAssembly, and no look at the frames of the compiler, whose functions and receivers
 * `Error.prepareStackTrace` would hand to the model.
 */
const preparation = new Script(`
  delete globalThis.WebAssembly;
  Object.defineProperty(Error, 'prepareStackTrace', { value: undefined, writable: false, configurable: false });
  Object.defineProperty(globalThis, 'Error', { value: Error, writable: false, configurable: false });
`);

/** Narrows what the compiler takes from `vm` to what it needs. */
export function confineContexts(): void {
  replace(vm, 'createContext', (globals: object) => {
    const context = createContext(globals, { codeGeneration: { strings: true, wasm: false } });
    preparation.runInContext(context);
    return context;
  });
  replace(vm, 'Script', function (code: string, { filename }: { filename: string }): object {
    return Object.setPrototypeOf(new Script(code, { filename }), RUNNABLE) as object;
  });
}
