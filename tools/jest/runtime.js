const { createRequire, isBuiltin } = require('node:module');
const { dirname, join } = require('node:path');
const { compileFunction, constants } = require('node:vm');
const Runtime = require('jest-runtime').default;

const requires = new Map();

/**
 * Loads packages once for all test files of a worker, as Node itself loads them, and what is ours anew for each file: to
 * load the packages again was a third of what a run costs. It needs the environment beside it, where all files have one
 * realm.
 */
module.exports = class SharedPackagesRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    this.executor.compile = (source, filename) =>
      compileFunction(source, this.executor.injectedModuleParameters, {
        filename,
        importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      });
  }

  requireModule(from, name, options, isActual) {
    const isOurs = options?.isInternalModule || !isPackage(name);
    return isOurs ? super.requireModule(from, name, options, isActual) : requireOf(from)(name);
  }
};
module.exports.default = module.exports;

const isPackage = (name) => name !== undefined && !/^(?:\.|\/|@plinth\/)/.test(name) && !isBuiltin(name);

function requireOf(from) {
  const folder = dirname(from);
  if (!requires.has(folder)) requires.set(folder, createRequire(join(folder, 'test')));
  return requires.get(folder);
}
