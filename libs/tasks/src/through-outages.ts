import { AppError, type ErrorCode } from '@plinth/errors';

const AGAIN_AFTER_MS = 1_000;
/** Longer than a restart of the database takes. */
const GIVE_UP_AFTER_MS = 120_000;
const PASSING: readonly ErrorCode[] = ['service.unavailable', 'service.collision'];

/**
 * Does the work again while it fails because a server is away or other work was in the way: that says nothing about the
 * work, which must not fail for it. Rethrows when the signal is aborted, after one last attempt, or after two minutes.
 */
export async function throughOutages<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const deadline = performance.now() + GIVE_UP_AFTER_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const passing = error instanceof AppError && PASSING.includes(error.code);
      if (!passing || signal.aborted || performance.now() > deadline) throw error;
      await pause(AGAIN_AFTER_MS, signal);
    }
  }
}

/** Ends early when the signal is aborted. */
const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
  });
