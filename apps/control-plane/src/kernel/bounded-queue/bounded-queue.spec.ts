import { BoundedQueue } from './bounded-queue';

/** Work that ends when it is told to. */
function open() {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { work: () => ended, end };
}

describe('a bounded queue', () => {
  it('runs no more at a time than it may, the others in order, and refuses those for whom there is no room', async () => {
    const queue = new BoundedQueue(2, 2);
    const started: number[] = [];
    const jobs = [open(), open(), open(), open()];
    const runs = jobs.map(({ work }, index) =>
      queue.run(() => {
        started.push(index);
        return work();
      }),
    );
    await expect(queue.run(async () => undefined)).rejects.toMatchObject({ code: 'service.unavailable' });
    expect(started).toEqual([0, 1]);
    jobs[1]?.end();
    await runs[1];
    expect(started).toEqual([0, 1, 2]);
    for (const { end } of jobs) end();
    await Promise.all(runs);
    expect(started).toEqual([0, 1, 2, 3]);
  });

  it('gives the place of failed work away', async () => {
    const queue = new BoundedQueue(1, 1);
    const failing = queue.run(() => Promise.reject(new Error('broken')));
    const next = queue.run(async () => 'ran');
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('ran');
    expect(await queue.run(async () => 'again')).toBe('again');
  });
});
