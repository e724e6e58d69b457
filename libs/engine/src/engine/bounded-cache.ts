import { createRequire } from 'node:module';
import { LRUCache } from 'lru-cache';

interface Entry {
  value: unknown;
  size: number;
}

interface CacheDriver {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown, expirationSeconds: number): Promise<{ key: string; bytes: number }>;
  remove(key: string): Promise<void>;
  keysStartingWith(prefix: string): Promise<string[]>;
  reset(): void;
}

/** Beside what a value takes as JSON. */
const OVERHEAD = 200;

/**
 * Bounds the engine's cache in memory, which forgets an entry only when that entry is asked for again. Its locks stay where
 * they are, so that no result pushes one out.
 */
export function boundCache(bytes: number): void {
  const load = createRequire(require.resolve('@cubejs-backend/query-orchestrator'));
  const { LocalCacheDriver } = load('./orchestrator/LocalCacheDriver') as {
    LocalCacheDriver: { prototype: CacheDriver };
  };
  const kept = new LRUCache<string, Entry>({ maxSize: bytes, sizeCalculation: ({ size }) => size });
  const methods: CacheDriver = {
    get: async (key) => kept.get(key)?.value,
    set: async (key, value, expirationSeconds) => {
      const size = OVERHEAD + key.length + (JSON.stringify(value)?.length ?? 0);
      kept.set(key, { value, size }, { ttl: expirationSeconds * 1_000 });
      return { key, bytes: size };
    },
    remove: async (key) => void kept.delete(key),
    keysStartingWith: async (prefix) => [...kept.keys()].filter((key) => key.startsWith(prefix)),
    reset: () => kept.clear(),
  };
  Object.assign(LocalCacheDriver.prototype, methods);
}
