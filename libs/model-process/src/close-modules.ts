import Module, { builtinModules, createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { refuse, replace } from './refusal';

const load = createRequire(__filename);

/** Modules of Node that touch nothing but values, and the process, which is sealed by itself. */
const LEFT_ALONE = new Set([
  ...['assert', 'async_hooks', 'buffer', 'console', 'constants', 'diagnostics_channel', 'events', 'path'],
  ...['path/posix', 'path/win32', 'perf_hooks', 'process', 'punycode', 'querystring', 'stream', 'stream/promises'],
  ...['string_decoder', 'timers', 'timers/promises', 'url', 'util', 'util/types', 'zlib'],
]);
/** What a compilation needs of the others. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  crypto: ['createHash', 'randomBytes', 'randomFillSync', 'randomUUID'],
  os: ['cpus'],
  vm: ['createContext', 'Script'],
};
const ENDINGS = ['', '.js', '.json', '/index.js', '/index.json'];

/**
 * From here on nothing is loaded that has not been loaded before, and what Node has beyond values does nothing for
 * whoever holds a reference to it. Libraries may still ask for the files beside them, which some do on every call.
 */
export function closeModules(): void {
  const files = new Map(Object.entries(load.cache));
  const builtins = loadedBuiltins().map((name) => [name, load(`node:${name}`) as object] as const);
  for (const [name, exported] of builtins) seal(exported, NEEDED[name]);
  const again = function (this: { filename?: unknown } | undefined, request: unknown): unknown {
    const from = this?.filename;
    if (typeof request !== 'string' || !request.startsWith('.') || typeof from !== 'string') return refuse();
    const path = join(dirname(from), request);
    const found = ENDINGS.map((ending) => files.get(path + ending)).find((file) => file !== undefined);
    return found ? found.exports : refuse();
  };
  replace(Module.prototype, 'require', again);
  seal(Module.prototype, ['require']);
  seal(Module);
}

/** Those that are not loaded cannot be, once this module is done. */
function loadedBuiltins(): string[] {
  const { moduleLoadList } = process as unknown as { moduleLoadList: readonly string[] };
  const loaded = new Set(moduleLoadList.map((entry) => entry.replace(/^NativeModule /, '')));
  const names = builtinModules.map((name) => name.replace(/^node:/, ''));
  return names.filter((name) => loaded.has(name) && !LEFT_ALONE.has(name));
}

/** Functions refuse, all else is gone; properties that cannot be changed are constants and the like. */
function seal(target: object, except: readonly string[] = []): void {
  for (const [name, { value, configurable }] of Object.entries(Object.getOwnPropertyDescriptors(target))) {
    if (configurable && !except.includes(name)) replace(target, name, typeof value === 'function' ? refuse : undefined);
  }
}
