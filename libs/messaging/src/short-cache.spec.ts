import { until } from '@plinth/testing';
import { ShortCache } from './short-cache';

interface Value {
  name: string;
}

const deferred = <T>() => {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
};

describe(ShortCache.name, () => {
  it('does not bring back what a look-up found before everything was forgotten', async () => {
    const cache = new ShortCache<Value>(60_000);
    const lookUp = deferred<Value | null>();
    const pending = cache.resolve('key', () => lookUp.promise);
    cache.clear();
    lookUp.resolve({ name: 'revoked' });
    await pending;
    expect(cache.peek('key')).toBeUndefined();
  });

  it('shares no look-up that began before everything was forgotten', async () => {
    const cache = new ShortCache<Value>(60_000);
    const lookUp = deferred<Value | null>();
    const before = cache.resolve('key', () => lookUp.promise);
    cache.clear();
    await expect(cache.resolve('key', async () => ({ name: 'fact' }))).resolves.toEqual({ name: 'fact' });
    lookUp.resolve({ name: 'revoked' });
    await before;
    expect(cache.peek('key')).toEqual({ name: 'fact' });
  });

  it('remembers no more than it may, also after it forgot everything', async () => {
    const cache = new ShortCache<Value>(60_000, { maximumEntries: 2 });
    for (let round = 0; round < 2; round += 1) {
      for (const name of ['first', 'second', 'third']) await cache.resolve(name, async () => ({ name }));
      expect(['first', 'second', 'third'].map((key) => cache.peek(key)?.name)).toEqual([undefined, 'second', 'third']);
      cache.clear();
      expect(cache.peek('third')).toBeUndefined();
    }
  });

  it('does not remember a look-up that failed', async () => {
    const cache = new ShortCache<Value>(60_000);
    await expect(cache.resolve('key', () => Promise.reject(new Error('no answer')))).rejects.toThrow('no answer');
    await expect(cache.resolve('key', () => Promise.resolve({ name: 'found' }))).resolves.toEqual({ name: 'found' });
  });

  it('asks again for whoever shared a look-up that failed', async () => {
    const cache = new ShortCache<Value>(60_000);
    const first = cache.resolve('key', () => Promise.reject(new Error('the caller has gone')));
    const second = cache.resolve('key', async () => ({ name: 'found' }));
    await expect(first).rejects.toThrow('the caller has gone');
    await expect(second).resolves.toEqual({ name: 'found' });
  });

  it('remembers nothing when that is wished', async () => {
    const cache = new ShortCache<Value>(0);
    const lookUp = jest.fn(async () => ({ name: 'found' }));
    await Promise.all([cache.resolve('key', lookUp), cache.resolve('key', lookUp)]);
    expect(lookUp).toHaveBeenCalledTimes(2);
    expect(cache.peek('key')).toBeUndefined();
  });

  it('asks once for many who want the same key at the same time', async () => {
    const cache = new ShortCache<Value>(60_000);
    const lookUp = jest.fn(() => Promise.resolve({ name: 'found' }));
    await Promise.all(Array.from({ length: 20 }, () => cache.resolve('key', lookUp)));
    expect(lookUp).toHaveBeenCalledTimes(1);
  });

  it('remembers that there was nothing', async () => {
    const cache = new ShortCache<Value>(60_000);
    const lookUp = jest.fn(() => Promise.resolve(null));
    await cache.resolve('key', lookUp);
    await cache.resolve('key', lookUp);
    expect(lookUp).toHaveBeenCalledTimes(1);
  });

  it('keeps a value no longer than the value itself says', async () => {
    const cache = new ShortCache<{ lifetimeMs: number }>(60_000, { lifetimeMs: ({ lifetimeMs }) => lifetimeMs });
    await cache.resolve('short', async () => ({ lifetimeMs: 0 }));
    await cache.resolve('long', async () => ({ lifetimeMs: 1_000_000 }));
    await until(
      'the short one is gone',
      () => cache.peek('short'),
      (value) => value === undefined,
      1_000,
    );
    expect(cache.peek('long')).toEqual({ lifetimeMs: 1_000_000 });
  });
});
