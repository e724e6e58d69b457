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
    const runs = ['a', 'b', 'c'].map((name) => turns.run('r', bench.work(name)));
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
    const runs = ['a', 'b', 'c'].map((name) => turns.run(name, bench.work(name)));
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
    await expect(turns.run('r', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await turns.run('r', () => Promise.resolve('yes'))).toBe('yes');
  });
});
