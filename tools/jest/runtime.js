const { createRequire, isBuiltin } = require('node:module');
const { dirname, join, resolve } = require('node:path');
const { compileFunction, constants } = require('node:vm');
const Runtime = require('jest-runtime').default;
// For what is shared of ours.
require('./register-typescript');

const root = resolve(__dirname, '../..');
/**
 * Of ours, what is shared like a package: it holds what was generated from the contract and validators made of it, and
 * imports nothing else of ours.
 */
const SHARED = ['@plinth/contract'];

const requires = new Map();
const compiled = new Map();

/**
 * Loads packages once for all test files of a worker, as Node itself loads them, and what is ours anew for each file: to
 * load the packages again was a third of what a run costs. It needs the environment beside it, where all files have one
 * realm. So what is ours is at least compiled once.
 */
module.exports = class SharedPackagesRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    this.executor.compile = (source, filename) =>
      compiledOnce(source, filename, this.executor.injectedModuleParameters);
  }

  requireModule(from, name, options, isActual) {
    if (!options?.isInternalModule) {
      if (isPackage(name)) return requireOf(from)(name);
      if (SHARED.includes(name)) return require(join(root, 'libs', name.slice('@plinth/'.length), 'src'));
    }
    return super.requireModule(from, name, options, isActual);
  }
};
module.exports.default = module.exports;

/** Whatever belongs to one test file comes as an argument of the function. */
function compiledOnce(source, filename, parameters) {
  const known = compiled.get(filename);
  if (known?.source === source) return known.run;
  const run = compileFunction(source, parameters, {
    filename,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  compiled.set(filename, { source, run });
  return run;
}

const isPackage = (name) => name !== undefined && !/^(?:\.|\/|@plinth\/)/.test(name) && !isBuiltin(name);

function requireOf(from) {
  const folder = dirname(from);
  if (!requires.has(folder)) requires.set(folder, createRequire(join(folder, 'test')));
  return requires.get(folder);
}
