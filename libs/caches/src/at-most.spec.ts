import { LRUCache } from 'lru-cache';
import { atMost } from './at-most';

describe(atMost.name, () => {
  it('has a cache forget what was used longest ago when there is more, and reserves no room before', () => {
    const cache = new LRUCache<string, number>({ ...atMost(2), ttl: 60_000 });
    expect(cache.max).toBe(0);
    cache.set('first', 1).set('second', 2);
    cache.get('first');
    cache.set('third', 3);
    expect([...cache.keys()].sort()).toEqual(['first', 'third']);
  });
});
