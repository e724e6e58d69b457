const { AsyncLocalStorage } = require('node:async_hooks');
const { LegacyFakeTimers, ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

const timerConfig = {
  idToRef: (id) => ({ id, ref: () => undefined, unref: () => undefined }),
  refToId: (timer) => timer?.id,
};

/** Those in use since the last file ended. */
const storages = new Set();
for (const name of ['run', 'enterWith']) {
  const use = AsyncLocalStorage.prototype[name];
  AsyncLocalStorage.prototype[name] = function (...args) {
    storages.add(this);
    return use.apply(this, args);
  };
}

/**
 * Test files run one after the other in the worker's own realm, so that they can share packages (`runtime.js`). What a file
 * changes of the globals, the environment variables and the listeners of the process is put back after it.
 */
module.exports = class SharedRealmEnvironment {
  constructor({ projectConfig: config }) {
    this.global = globalThis;
    this.before = realm();
    Error.stackTraceLimit = 100;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimers = new LegacyFakeTimers({
      config,
      global: globalThis,
      moduleMocker: this.moduleMocker,
      timerConfig,
    });
    this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
  }

  async setup() {}

  async teardown() {
    this.fakeTimers.dispose();
    this.fakeTimersModern.dispose();
    restore(this.before);
    endStorages();
    this.global = null;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** For Jest's check alone: `runtime.js` compiles for the realm that there is. */
  getVmContext() {
    return this.global;
  }
};

/** Before Node 24 each storage that was used once makes every promise of the worker dearer: hundreds cost 30 µs a promise. */
function endStorages() {
  for (const storage of storages) storage.disable();
  storages.clear();
}

const realm = () => ({
  globals: Object.getOwnPropertyDescriptors(globalThis),
  environment: { ...process.env },
  exit: process.exit,
  listeners: new Map(process.eventNames().map((event) => [event, process.rawListeners(event)])),
});

function restore({ globals, environment, exit, listeners }) {
  for (const key of Reflect.ownKeys(globalThis)) {
    if (!(key in globals)) Reflect.deleteProperty(globalThis, key);
  }
  for (const key of Reflect.ownKeys(globals)) {
    if (globals[key].configurable) Object.defineProperty(globalThis, key, globals[key]);
  }
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  // Jest wraps it for each file.
  process.exit = exit;
  for (const event of process.eventNames()) {
    const kept = listeners.get(event) ?? [];
    for (const listener of process.rawListeners(event)) {
      if (!kept.includes(listener)) process.removeListener(event, listener);
    }
  }
}
