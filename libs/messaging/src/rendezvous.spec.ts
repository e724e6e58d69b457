import { chooseOwner } from './rendezvous';

const workers = (size: number): string[] => Array.from({ length: size }, (_, index) => `worker-${index + 1}`);

describe(chooseOwner.name, () => {
  it('finds nobody among no members', () => {
    expect(chooseOwner([], '1')).toBeUndefined();
  });

  it('chooses the same owner whatever the order of the members', () => {
    for (let key = 0; key < 100; key++) {
      expect(chooseOwner(['a', 'b', 'c'], String(key))).toBe(chooseOwner(['c', 'a', 'b'], String(key)));
    }
  });

  describe.each([200, 10_000])('of %d deployments', (count) => {
    const keys = Array.from({ length: count }, (_, index) => String(index + 1));
    const ownersOf = (members: string[]) => keys.map((key) => chooseOwner(members, key));
    /** Four standard deviations of a share that is drawn key by key. */
    const deviation = (share: number): number => 4 * Math.sqrt(count * share * (1 - share));

    it.each([2, 4, 8])('gives each of %d members a fair share', (size) => {
      const owners = ownersOf(workers(size));
      for (const member of workers(size)) {
        const own = owners.filter((owner) => owner === member).length;
        expect(Math.abs(own - count / size)).toBeLessThan(deviation(1 / size));
      }
    });

    it.each([1, 2, 4, 8])('moves to a member that joins %d others its fair share and nothing else', (size) => {
      const [before, after] = [ownersOf(workers(size)), ownersOf(workers(size + 1))];
      const joined = workers(size + 1).at(-1);
      const moved = after.filter((owner, index) => owner !== before[index]);
      expect(new Set(moved)).toEqual(new Set([joined]));
      expect(Math.abs(moved.length - count / (size + 1))).toBeLessThan(deviation(1 / (size + 1)));
    });

    it.each([2, 4, 8])('moves only the keys of the one of %d that leaves, and spreads them over the others', (size) => {
      const leaving = workers(size)[0];
      const rest = workers(size).slice(1);
      const [before, after] = [ownersOf(workers(size)), ownersOf(rest)];
      const moved = after.filter((owner, index) => owner !== before[index]);
      expect(moved).toHaveLength(before.filter((owner) => owner === leaving).length);
      for (const member of rest) {
        const taken = moved.filter((owner) => owner === member).length;
        expect(Math.abs(taken - moved.length / rest.length)).toBeLessThan(deviation(1 / size / rest.length));
      }
    });

    it('moves to a replacement what the replaced one had, and the rest of its fair share', () => {
      const [before, after] = [ownersOf(workers(4)), ownersOf([...workers(3), 'worker-5'])];
      const moves = after.filter((owner, index) => owner !== before[index]);
      expect(moves.length).toBeLessThan((2 * count) / 4 + deviation(1 / 2));
      after.forEach((owner, index) => {
        if (before[index] !== 'worker-4' && owner !== before[index]) expect(owner).toBe('worker-5');
      });
    });
  });
});
