import { CompileSlots, type Slot } from './compile-slots';

/** Who was let in so far, and a way to let the first of them go. `a1` is deployment 1 of tenant `a`. */
function slotsOf(size: number) {
  let now = 0;
  const slots = new CompileSlots(size, () => now);
  const inside: string[] = [];
  const held: Slot[] = [];
  const enter = async (name: string) => {
    const [tenant = 0, deployment = 0] = Buffer.from(name.padEnd(2, '0'));
    held.push(await slots.enter({ tenantId: tenant, deploymentId: tenant * 1000 + deployment }));
    inside.push(name);
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    inside,
    held,
    pass: (seconds: number) => (now += seconds * 1000),
    ask: async (...names: string[]) => {
      for (const name of names) void enter(name);
      await settle();
    },
    leave: async () => {
      held.shift()?.leave();
      await settle();
    },
  };
}

describe('CompileSlots', () => {
  it('lets no tenant take the last slot who holds another, whatever its deployments', async () => {
    const { inside, ask } = slotsOf(3);
    await ask('a1', 'a2', 'a3', 'a4');
    expect(inside).toEqual(['a1', 'a2']);
    await ask('b1');
    expect(inside).toEqual(['a1', 'a2', 'b1']);
  });

  it('prefers those who hold nothing, in the order in which they came', async () => {
    const { inside, ask, leave } = slotsOf(2);
    await ask('a', 'b', 'a', 'c', 'd');
    expect(inside).toEqual(['a', 'b']);
    for (let i = 0; i < 3; i++) await leave();
    expect(inside).toEqual(['a', 'b', 'a', 'c', 'd']);
  });

  it('gives an only slot to one after the other, also of the same tenant', async () => {
    const { inside, ask, leave } = slotsOf(1);
    await ask('a', 'a', 'b');
    expect(inside).toEqual(['a']);
    await leave();
    expect(inside).toHaveLength(2);
    await leave();
    expect(inside).toHaveLength(3);
  });

  it('lets a tenant that has had much wait behind those who have had little, until that is long ago', async () => {
    const { inside, ask, leave, pass } = slotsOf(1);
    await ask('a', 'a', 'b', 'c');
    pass(50);
    for (let i = 0; i < 3; i++) await leave();
    expect(inside).toEqual(['a', 'b', 'c', 'a']);
    pass(600);
    await ask('b', 'a');
    await leave();
    await leave();
    expect(inside.slice(4)).toEqual(['b', 'a']);
  });

  it('prefers, of one tenant, the deployment that has had less', async () => {
    const { inside, ask, leave, pass } = slotsOf(2);
    await ask('a1', 'a1', 'a2', 'a1', 'a3');
    pass(10);
    for (let i = 0; i < 2; i++) await leave();
    expect(inside).toEqual(['a1', 'a2', 'a3']);
  });

  it('keeps a slot free of the tenants that have had much, for one that comes', async () => {
    const { inside, held, ask, leave, pass } = slotsOf(2);
    await ask('a', 'b', 'a', 'b');
    pass(50);
    await leave();
    await leave();
    expect(inside).toEqual(['a', 'b', 'a']);
    expect(held.map(({ heavy }) => heavy)).toEqual([true]);
    await ask('c');
    expect(inside).toEqual(['a', 'b', 'a', 'c']);
    expect(held.map(({ heavy }) => heavy)).toEqual([true, false]);
  });

  it('takes a slot back once, however often it is left', async () => {
    const { inside, held, ask } = slotsOf(1);
    await ask('a', 'b', 'c');
    const [first] = held;
    first?.leave();
    first?.leave();
    await ask();
    expect(inside).toEqual(['a', 'b']);
  });
});
