import { CompileSlots } from './compile-slots';

/** Who was let in so far, and a way to let the first of them go. */
function slotsOf(size: number) {
  const slots = new CompileSlots(size);
  const inside: string[] = [];
  const leaves: (() => void)[] = [];
  const ask = (owner: string) =>
    slots.enter(owner).then((leave) => {
      inside.push(owner);
      leaves.push(leave);
    });
  return {
    inside,
    ask: (...owners: string[]) => owners.forEach((owner) => void ask(owner)),
    leave: () => leaves.shift()?.(),
  };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('CompileSlots', () => {
  it('lets nobody take the last slot who holds another', async () => {
    const { inside, ask } = slotsOf(3);
    ask('a', 'a', 'a', 'a');
    await settle();
    expect(inside).toEqual(['a', 'a']);
    ask('b');
    await settle();
    expect(inside).toEqual(['a', 'a', 'b']);
  });

  it('prefers those who hold nothing, in the order in which they came', async () => {
    const { inside, ask, leave } = slotsOf(2);
    ask('a', 'b', 'a', 'c', 'd');
    await settle();
    expect(inside).toEqual(['a', 'b']);
    for (let i = 0; i < 3; i++) {
      leave();
      await settle();
    }
    expect(inside).toEqual(['a', 'b', 'a', 'c', 'd']);
  });

  it('gives an only slot to one after the other, also of the same owner', async () => {
    const { inside, ask, leave } = slotsOf(1);
    ask('a', 'a', 'b');
    await settle();
    expect(inside).toEqual(['a']);
    leave();
    await settle();
    expect(inside).toHaveLength(2);
    leave();
    await settle();
    expect(inside).toHaveLength(3);
  });
});
