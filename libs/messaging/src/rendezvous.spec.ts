import { chooseOwner } from './rendezvous';

const keys = Array.from({ length: 3_000 }, (_, index) => String(index + 1));
const ownersOf = (members: string[]): (string | undefined)[] => keys.map((key) => chooseOwner(members, key));

describe(chooseOwner.name, () => {
  it('finds nobody among no members', () => {
    expect(chooseOwner([], '1')).toBeUndefined();
  });

  it('chooses the same owner whatever the order of the members', () => {
    expect(ownersOf(['a', 'b', 'c'])).toEqual(ownersOf(['c', 'a', 'b']));
  });

  it('gives every member a fair share', () => {
    const owners = ownersOf(['worker-1', 'worker-2', 'worker-3', 'worker-4']);
    for (const member of new Set(owners)) {
      const share = owners.filter((owner) => owner === member).length / keys.length;
      expect(share).toBeGreaterThan(0.2);
      expect(share).toBeLessThan(0.3);
    }
    expect(new Set(owners).size).toBe(4);
  });

  it('moves only the keys of a member that leaves', () => {
    const before = ownersOf(['a', 'b', 'c']);
    const after = ownersOf(['a', 'b']);
    keys.forEach((_, index) => {
      if (before[index] !== 'c') expect(after[index]).toBe(before[index]);
    });
  });

  it('moves keys only to a member that joins', () => {
    const before = ownersOf(['a', 'b', 'c']);
    const after = ownersOf(['a', 'b', 'c', 'd']);
    const moved = keys.filter((_, index) => after[index] !== before[index]);
    expect(moved.length).toBeGreaterThan(0);
    expect(moved.every((key) => chooseOwner(['a', 'b', 'c', 'd'], key) === 'd')).toBe(true);
  });
});
