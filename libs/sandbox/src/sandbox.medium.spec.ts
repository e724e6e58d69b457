import { Sandbox } from './sandbox';

describe('a sandbox', () => {
  it('runs a program and talks with it over its streams', async () => {
    const sandbox = await Sandbox.open();
    const program = sandbox.start({
      command: process.execPath,
      args: ['-e', 'process.stdin.pipe(process.stdout)'],
      readable: [],
      limits: { memoryBytes: 2 ** 29, processes: 64 },
    });
    program.stdin.end('hello');
    expect((await program.stdout.toArray()).join('')).toBe('hello');
    expect(await program.exited).toEqual({ code: 0, signal: null });
  });
});
