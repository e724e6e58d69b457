import { CompileCache } from './compile-cache';
import { type CompileResult } from './compile-result';

const result = (cubesCount: number): CompileResult => ({ valid: true, errors: [], cubesCount });

describe('CompileCache', () => {
  it('compiles a tree once, also when many ask at the same time', async () => {
    const cache = new CompileCache();
    const compile = jest.fn(async () => result(1));
    const answers = await Promise.all([cache.get('t', compile), cache.get('t', compile), cache.get('t', compile)]);
    expect(await cache.get('t', compile)).toEqual(result(1));
    expect(answers).toEqual([result(1), result(1), result(1)]);
    expect(compile).toHaveBeenCalledTimes(1);
  });

  it('does not keep a failure to compile', async () => {
    const cache = new CompileCache();
    await expect(cache.get('t', async () => Promise.reject(new Error('no child')))).rejects.toThrow('no child');
    expect(await cache.get('t', async () => result(2))).toEqual(result(2));
  });

  it('does not keep an aborted compilation', async () => {
    const cache = new CompileCache();
    await cache.get('t', async () => ({ valid: false, errors: [], cubesCount: 0, aborted: true }));
    expect(await cache.get('t', async () => result(2))).toEqual(result(2));
  });

  it('forgets the tree used longest ago when it is full', async () => {
    const cache = new CompileCache(2);
    for (const tree of ['a', 'b', 'a', 'c']) await cache.get(tree, async () => result(0));
    const again = jest.fn(async () => result(0));
    await cache.get('a', again);
    expect(again).not.toHaveBeenCalled();
    await cache.get('b', again);
    expect(again).toHaveBeenCalledTimes(1);
  });
});
