import { createRequire } from 'node:module';

type Require = ReturnType<typeof createRequire>;

/**
 * What the published engine loads at its start and few queries need, or none: its compiler, of which the model process has
 * its own, its pages for developers, GraphQL, dates in words, keys of others, and its store.
 */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  '@cubejs-backend/server-core': ['@cubejs-backend/schema-compiler', './dist/src/core/DevServer'],
  '@cubejs-backend/api-gateway': ['chrono-node', 'express-graphql', 'http-proxy-middleware', './graphql', './jwk'],
  '@cubejs-backend/query-orchestrator': ['@cubejs-backend/cubestore-driver'],
};

/**
 * Has each of them loaded when something of it is used first: together they are half of what the engine's start costs.
 *
 * @throws Error when the engine has no such part: its version is not known
 */
export function deferParts(): void {
  const core = createRequire(require.resolve('@cubejs-backend/server-core'));
  for (const [name, parts] of Object.entries(PARTS)) {
    const load = createRequire(core.resolve(name));
    for (const part of parts) defer(load, part);
  }
  provideRamda(createRequire(core.resolve('@cubejs-backend/api-gateway')));
}

/** In one file instead of one for each function. The copy says, as the package's own entry does, nothing of a default. */
function provideRamda(load: Require): void {
  const path = load.resolve('ramda');
  const exports = { ...(load('ramda/dist/ramda.min.js') as object) };
  load.cache[path] ??= { id: path, filename: path, loaded: true, exports } as NodeJS.Module;
}

/** Those who have asked for it hold what stands in its place: they look up what it exports at the time of each use. */
function defer(load: Require, part: string): void {
  const path = load.resolve(part);
  if (load.cache[path]) return;
  let loaded: object | undefined;
  const exported = (): object => {
    if (!loaded) Reflect.deleteProperty(load.cache, path);
    return (loaded ??= load(path) as object);
  };
  const later: ProxyHandler<object> = {
    get: (_, key) => Reflect.get(exported(), key) as unknown,
    has: (_, key) => Reflect.has(exported(), key),
    ownKeys: () => Reflect.ownKeys(exported()),
    getOwnPropertyDescriptor: (_, key) => {
      const found = Reflect.getOwnPropertyDescriptor(exported(), key);
      return found && { ...found, configurable: true };
    },
  };
  load.cache[path] = { id: path, filename: path, loaded: true, exports: new Proxy({}, later) } as NodeJS.Module;
}
