import { deadlineMs, until } from './until';

describe('waiting for a condition', () => {
  const pace = process.env['PLINTH_TEST_PACE'];
  afterEach(() => {
    if (pace === undefined) delete process.env['PLINTH_TEST_PACE'];
    else process.env['PLINTH_TEST_PACE'] = pace;
  });

  it('fails after its deadline with what it waited for and what it saw last', async () => {
    const never = until(
      'the end',
      () => ({ at: 'the start' }),
      () => false,
      1,
    );
    await expect(never).rejects.toThrow(/the end: not within .* ms; last seen \{"at":"the start"\}/);
  });

  it('fails with the error of the question', async () => {
    const broken = until(
      'the end',
      () => Promise.reject(new Error('gone')),
      () => true,
    );
    await expect(broken).rejects.toThrow('gone');
  });

  it('returns the first answer that satisfies', async () => {
    let count = 0;
    const isThird = (answer: number): boolean => answer === 3;
    await expect(until('the third', () => (count += 1), isThird)).resolves.toBe(3);
    expect(count).toBe(3);
  });

  it('asks less often the longer it waits', async () => {
    const asked: number[] = [];
    await until(
      'a second',
      () => asked.push(performance.now()),
      () => performance.now() - (asked[0] ?? 0) > 1_000,
    );
    const [first = 0, second = 0] = asked;
    expect(second - first).toBeGreaterThanOrEqual(24);
    expect(asked.length).toBeLessThan(30);
    expect(asked.at(-1)! - asked.at(-2)!).toBeGreaterThan(80);
  });

  it('waits as much longer as the machine is slower', () => {
    process.env['PLINTH_TEST_PACE'] = '2.5';
    expect(deadlineMs(1_000)).toBe(2_500);
  });

  it('waits whole milliseconds, which is all that some timers take', () => {
    process.env['PLINTH_TEST_PACE'] = '4.1';
    expect(deadlineMs(60_000)).toBe(246_000);
  });
});
