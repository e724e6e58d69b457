import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 25;

/**
 * A deadline for this machine: the milliseconds that a quiet one needs, times what a probe at the start of the run
 * found (`tools/jest/pace.js`).
 */
export const deadlineMs = (quietMs: number): number =>
  Math.round(quietMs * Number(process.env['PLINTH_TEST_PACE'] ?? 1));

/**
 * Asks again and again until the answer satisfies, and returns it. The only way in which tests wait.
 *
 * @param timeoutMs on a quiet machine.
 * @throws Error with the last answer when the deadline has passed.
 */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  satisfied: (answer: T) => boolean,
  timeoutMs = 30_000,
): Promise<T> {
  const limitMs = deadlineMs(timeoutMs);
  const deadline = performance.now() + limitMs;
  for (;;) {
    const answer = await ask();
    if (satisfied(answer)) return answer;
    if (performance.now() > deadline) {
      throw new Error(`${what}: not within ${limitMs} ms; last seen ${JSON.stringify(answer)}`);
    }
    await pause(POLL_MS);
  }
}
