import { atMost } from '@plinth/caches';
import { LRUCache } from 'lru-cache';
import type { Bus } from './bus';

interface ShortCacheOptions<Value> {
  /** Values that are kept at the same time; 10,000 when absent. */
  maximumEntries?: number;
  /** How long a value holds, in milliseconds. */
  lifetimeMs?: (value: Value) => number;
}

/**
 * Remembers what a key resolved to for a short while, until a notice says that it may have changed; concurrent misses of one
 * key share one look-up.
 * "Nothing" is remembered as well, so that a flood of bad keys does not become a flood of look-ups.
 */
export class ShortCache<Value extends object> {
  private entries: LRUCache<string, { value: Value | null }>;
  private readonly running = new Map<string, Promise<Value | null>>();
  private generation = 0;

  private readonly lifetimeMs: (value: Value) => number;
  private readonly maximumEntries: number;

  /** @param ttlMs milliseconds that a value is kept at most; 0 for everybody looks up what they ask for. `lifetimeMs` may say less. */
  constructor(
    private readonly ttlMs: number,
    { maximumEntries = 10_000, lifetimeMs = () => ttlMs }: ShortCacheOptions<Value> = {},
  ) {
    this.lifetimeMs = lifetimeMs;
    this.maximumEntries = maximumEntries;
    this.entries = this.noEntries();
  }

  /** The remembered value; undefined when there is none and a look-up is needed. */
  peek(key: string): Value | null | undefined {
    return this.entries.get(key)?.value;
  }

  async resolve(key: string, lookUp: () => Promise<Value | null>): Promise<Value | null> {
    if (this.ttlMs <= 0) return lookUp();
    const remembered = this.peek(key);
    if (remembered !== undefined) return remembered;
    const running = this.running.get(key);
    // Whose look-up is shared may have gone, or have had no time left: that is no reason to fail others.
    return running ? running.catch(lookUp) : this.start(key, lookUp);
  }

  /** Forgets everything whenever there is a notice of one of the topics. */
  clearOn(bus: Bus, ...topics: readonly string[]): this {
    for (const topic of topics) bus.subscribe(topic, () => this.clear());
    return this;
  }

  /** Forgets everything; look-ups that began before do not bring old facts back. */
  clear(): void {
    this.generation += 1;
    if (this.entries.size > 0) this.entries = this.noEntries();
    this.running.clear();
  }

  private noEntries(): LRUCache<string, { value: Value | null }> {
    return new LRUCache({ ...atMost(this.maximumEntries), ttl: Math.max(this.ttlMs, 1) });
  }

  private start(key: string, lookUp: () => Promise<Value | null>): Promise<Value | null> {
    const generation = this.generation;
    const started = lookUp()
      .then((value) => {
        if (generation === this.generation) this.keep(key, value);
        return value;
      })
      .finally(() => {
        if (this.running.get(key) === started) this.running.delete(key);
      });
    this.running.set(key, started);
    return started;
  }

  private keep(key: string, value: Value | null): void {
    const lifetimeMs = value === null ? this.ttlMs : Math.min(this.ttlMs, this.lifetimeMs(value));
    this.entries.set(key, { value }, { ttl: Math.max(lifetimeMs, 1) });
  }
}
