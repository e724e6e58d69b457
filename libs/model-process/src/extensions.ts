import { type Extension, extensionClasses } from './compiler-internals';

/**
 * By name, without whatever else an object has names for. No extension leads its model to the compiler, of which it uses
 * the query that is being planned; there is none while a model is compiled.
 */
export function extensionsFor(contextQuery: () => unknown): Readonly<Record<string, Extension>> {
  const compiler = Object.freeze({ __proto__: null, contextQuery });
  const all = Object.entries(extensionClasses).map(([name, each]) => [name, withCompiler(each, compiler)] as const);
  return Object.freeze(Object.assign(Object.create(null) as object, Object.fromEntries(all)));
}

function withCompiler(Original: Extension, compiler: object): Extension {
  return class extends Original {
    constructor(cubeFactory: unknown, _compiler: object, cubes: object[]) {
      super(cubeFactory, compiler, cubes);
    }
  };
}
