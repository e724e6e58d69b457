/**
 * What a process needs that runs tenants' data models: the compiler, and what takes from the process whatever a model has
 * no use for. Imported only by programs of such processes, as the first thing: it loads the compiler and redirects output.
 */
import './redirect-output';

export * from './compiler-internals';
export { extensionsFor } from './extensions';
export { readMessage, writeMessage } from './lines';
export { LimitReached, observeCompiler } from './observe-compiler';
export { type ModelProblem, Problems, type ProblemLimits } from './problems';
export { replace } from './refusal';
export { seal } from './seal';
export { InlineTranspiler } from './transpiler';
export { turn } from './turn';
