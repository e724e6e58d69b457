import { SharedInterval } from './shared-interval';

describe(SharedInterval.name, () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('calls all who want it by one timer, which ends with the last of them and begins anew', () => {
    const shared = new SharedInterval(500);
    const [first, second] = [jest.fn(), jest.fn()];
    const ends = [first, second].map((callback) => shared.add(callback));
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(1_000);
    ends[0]?.();
    jest.advanceTimersByTime(500);
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([2, 3]);
    ends[1]?.();
    ends[1]?.();
    expect(jest.getTimerCount()).toBe(0);
    const end = shared.add(first);
    jest.advanceTimersByTime(500);
    expect(first).toHaveBeenCalledTimes(3);
    end();
  });
});
