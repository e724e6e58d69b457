export { COMPILER_VERSION } from './compiler-version';
export * from './protocol';
export { engineCommand } from './program';
export { modelProgram } from './model/program';
