const HALF_LIFE_MS = 60_000;
/** Milliseconds of use that are not worth remembering. */
const FORGOTTEN_MS = 10;

/** How much time somebody has had of late: what was used a minute ago counts half. */
export class RecentUse<Key> {
  private readonly used = new Map<Key, { ms: number; at: number }>();

  add(key: Key, ms: number, now: number): void {
    this.used.set(key, { ms: this.of(key, now) + ms, at: now });
    for (const each of this.used.keys()) if (this.of(each, now) < FORGOTTEN_MS) this.used.delete(each);
  }

  /** Milliseconds. */
  of(key: Key, now: number): number {
    const { ms, at } = this.used.get(key) ?? { ms: 0, at: now };
    return ms * 2 ** ((at - now) / HALF_LIFE_MS);
  }
}
