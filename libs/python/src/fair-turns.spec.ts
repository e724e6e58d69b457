import { setImmediate } from 'node:timers/promises';
import { FairTurns, TurnsFull } from './fair-turns';

const never = new AbortController().signal;

/** Work that waits until it is told to end. */
function manyTasks(turns: FairTurns) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const take = (owner: string, name: string, signal = never) =>
    turns.take(owner, signal, () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await setImmediate();
  };
  return { begun, take, end };
}

describe(FairTurns, () => {
  it('refuses more than an owner, and more than all together may have waiting', async () => {
    const { take } = manyTasks(new FairTurns({ simultaneous: 1, mostOfOwner: 2, most: 3 }));
    void take('a', 'a1');
    void take('a', 'a2');
    await expect(take('a', 'a3')).rejects.toThrow(TurnsFull);
    void take('b', 'b1');
    await expect(take('c', 'c1')).rejects.toThrow(TurnsFull);
  });

  it('does not begin the work of who left in the moment between their turn and it, and gives the place to others', async () => {
    const { begun, take } = manyTasks(new FairTurns({ simultaneous: 1, mostOfOwner: 1, most: 1 }));
    const leaving = new AbortController();
    const left = take('a', 'a1', leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    void take('a', 'a2');
    await setImmediate();
    expect(begun).toEqual(['a2']);
  });

  it('lets whoever has least under way go next, however much others have asked before', async () => {
    const { begun, take, end } = manyTasks(new FairTurns({ simultaneous: 2, mostOfOwner: 9, most: 9 }));
    for (const name of ['a1', 'a2', 'a3', 'a4']) void take('a', name);
    void take('b', 'b1');
    await setImmediate();
    expect(begun).toEqual(['a1', 'a2']);
    await end('a1');
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    await end('a2');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('goes on after work that fails, and forgets what is given up while it waits', async () => {
    const turns = new FairTurns({ simultaneous: 1, mostOfOwner: 2, most: 2 });
    const { begun, take, end } = manyTasks(turns);
    const failing = turns.take('a', never, () => Promise.reject(new Error('it fails')));
    const leaving = new AbortController();
    const left = take('a', 'left', leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    await expect(failing).rejects.toThrow('it fails');
    const last = take('a', 'last');
    await setImmediate();
    await end('last');
    expect([await last, begun]).toEqual(['last', ['last']]);
    await expect(take('a', 'late', leaving.signal)).rejects.toThrow('gone');
  });
});
