import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 25;
/** Who waits long asks less often: a question may cost what it waits for a good part of a processor. */
const POLL_AT_MOST_MS = 200;
const POLLS_PER_WAIT = 10;

/**
 * A deadline for this machine: the milliseconds that a quiet one needs, times what a probe at the start of the run
 * found (`tools/jest/pace.js`).
 */
export const deadlineMs = (quietMs: number): number =>
  Math.round(quietMs * Number(process.env['PLINTH_TEST_PACE'] ?? 1));

/** How many want each processor now: a machine that was quiet when the run began may not stay so. */
const queued = (): number => (loadavg()[0] ?? 0) / availableParallelism();

/** For what was measured: as {@link deadlineMs}, or longer when the machine has become busier since the run began. */
export const boundMs = (quietMs: number): number => Math.max(deadlineMs(quietMs), Math.round(quietMs * queued()));

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
  const start = performance.now();
  for (;;) {
    const answer = await ask();
    if (satisfied(answer)) return answer;
    const waitedMs = performance.now() - start;
    const limitMs = boundMs(timeoutMs);
    if (waitedMs > limitMs) {
      throw new Error(`${what}: not within ${limitMs} ms; last seen ${JSON.stringify(answer)}`);
    }
    await pause(Math.min(POLL_AT_MOST_MS, Math.max(POLL_MS, waitedMs / POLLS_PER_WAIT)));
  }
}
