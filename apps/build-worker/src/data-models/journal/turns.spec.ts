import { Turns } from './turns';

/** Work that ends when told to, and the order in which it began. */
class Bench {
  readonly begun: string[] = [];
  private readonly ends = new Map<string, () => void>();

  work = (name: string) => async (): Promise<string> => {
    this.begun.push(name);
    await new Promise<void>((resolve) => this.ends.set(name, resolve));
    return name;
  };

  end(name: string): void {
    this.ends.get(name)?.();
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe(Turns.name, () => {
  it('lets writers of one repository in one by one, in order', async () => {
    const [turns, bench] = [new Turns(9), new Bench()];
    const runs = ['a', 'b', 'c'].map((name) => turns.run({ key: 'r', caller: 'one' }, bench.work(name)));
    await settled();
    expect(bench.begun).toEqual(['a']);
    bench.end('a');
    await settled();
    expect(bench.begun).toEqual(['a', 'b']);
    bench.end('b');
    await settled();
    bench.end('c');
    expect(await Promise.all(runs)).toEqual(['a', 'b', 'c']);
  });

  it('lets no more than its width in at a time', async () => {
    const [turns, bench] = [new Turns(2), new Bench()];
    const runs = ['a', 'b', 'c'].map((name) => turns.run({ key: name, caller: 'one' }, bench.work(name)));
    await settled();
    expect(bench.begun).toEqual(['a', 'b']);
    for (const name of ['b', 'a', 'c']) {
      bench.end(name);
      await settled();
    }
    expect(await Promise.all(runs)).toEqual(['a', 'b', 'c']);
  });

  it('goes on after work that failed', async () => {
    const turns = new Turns(1);
    await expect(turns.run({ key: 'r', caller: 'one' }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await turns.run({ key: 'r', caller: 'one' }, () => Promise.resolve('yes'))).toBe('yes');
  });

  it('gives each caller his turn, however much work of others came before', async () => {
    const [turns, bench] = [new Turns(9), new Bench()];
    const run = (name: string) => turns.run({ key: 'r', caller: name.slice(0, 1) }, bench.work(name));
    const runs = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'].map(run);
    for (let ended = 0; ended < runs.length; ended++) {
      await settled();
      bench.end(bench.begun.at(-1) ?? '');
    }
    await Promise.all(runs);
    expect(bench.begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('refuses what a caller sends beyond a bound with 429, and goes on to take the work of others', async () => {
    const [turns, bench] = [new Turns(9), new Bench()];
    const run = (caller: string) => turns.run({ key: 'r', caller }, bench.work(caller));
    const waiting = Array.from({ length: 257 }, () => run('many'));
    for (const each of waiting) each.catch(() => undefined);
    await expect(run('many')).rejects.toMatchObject({ code: 'request.rate_limited', retryAfterSeconds: 1 });
    void run('other');
    await settled();
    bench.end('many');
    await settled();
    bench.end('many');
    await settled();
    expect(bench.begun).toEqual(['many', 'many', 'other']);
  });

  it('does not begin work whose caller has given up, and keeps no place for it', async () => {
    const [turns, bench, caller] = [new Turns(1), new Bench(), new AbortController()];
    const first = turns.run({ key: 'r', caller: 'a' }, bench.work('first'));
    const late = turns.run({ key: 'r', caller: 'b', signal: caller.signal }, bench.work('late'));
    // Of another key, so it waits for the width alone.
    const elsewhere = turns.run({ key: 's', caller: 'b', signal: caller.signal }, bench.work('elsewhere'));
    const last = turns.run({ key: 'r', caller: 'c' }, bench.work('last'));
    await settled();
    caller.abort(new Error('time is up'));
    await expect(late).rejects.toThrow('time is up');
    await expect(elsewhere).rejects.toThrow('time is up');
    bench.end('first');
    await settled();
    bench.end('last');
    expect(await Promise.all([first, last])).toEqual(['first', 'last']);
    expect(bench.begun).toEqual(['first', 'last']);
  });
});
