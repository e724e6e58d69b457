import { FairGate } from './fair-gate';

const gateOf = (width: number, mostWaiting = 9): FairGate =>
  new FairGate({ width, mostWaiting, refusal: () => new Error('too many') });
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe(FairGate.name, () => {
  it('refuses one more of a caller who has as many waiting as may wait, and nobody else', async () => {
    const gate = gateOf(1, 1);
    const leave = await gate.enter('a');
    const waiting = gate.enter('a');
    await expect(gate.enter('a')).rejects.toThrow('too many');
    const other = gate.enter('b');
    leave();
    (await waiting)();
    (await other)();
    expect(gate.idle).toBe(true);
  });

  it('keeps no place for whoever stops waiting, or has stopped before', async () => {
    const gate = gateOf(1);
    const leave = await gate.enter('a');
    const patience = new AbortController();
    const waiting = gate.enter('b', patience.signal);
    patience.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    leave();
    await expect(gate.enter('b', patience.signal)).rejects.toThrow('left');
    expect(gate.idle).toBe(true);
  });

  it('gives a place away once, however often it is left', async () => {
    const gate = gateOf(1);
    const entered: string[] = [];
    const leave = await gate.enter('a');
    for (const caller of ['b', 'c']) void gate.enter(caller).then(() => entered.push(caller));
    leave();
    leave();
    await settled();
    expect(entered).toEqual(['b']);
  });

  it('lets callers in by turns', async () => {
    const gate = gateOf(1);
    const entered: string[] = [];
    const leave = await gate.enter('a');
    const runs = ['a', 'a', 'a', 'b', 'c'].map((caller) => gate.run(caller, async () => void entered.push(caller)));
    leave();
    await Promise.all(runs);
    expect(entered).toEqual(['a', 'b', 'c', 'a', 'a']);
  });
});
