export { COMPILER_VERSION } from './compiler-version';
export { limitVariables } from './limit-variables';
export * from './protocol';
export { engineCommand } from './program';
export { modelProgram } from './model/program';
export { isReservedVariable } from './reserved-variables';
