import { type Extension, extensionClasses } from './compiler-internals';

/** Of the compiler, extensions use the query that is being planned. There is none while a model is compiled. */
const COMPILER = Object.freeze({ __proto__: null, contextQuery: () => undefined });

/** By name, without whatever else an object has names for. No extension leads its model to the compiler. */
export const extensions: Readonly<Record<string, Extension>> = Object.freeze(
  Object.assign(
    Object.create(null) as object,
    ...Object.entries(extensionClasses).map(([name, each]) => ({ [name]: withoutCompiler(each) })),
  ),
);

function withoutCompiler(Original: Extension): Extension {
  return class extends Original {
    constructor(cubeFactory: unknown, _compiler: object, cubes: object[]) {
      super(cubeFactory, COMPILER, cubes);
    }
  };
}
