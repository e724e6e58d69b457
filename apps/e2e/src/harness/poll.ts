import { setTimeout as pause } from 'node:timers/promises';

/**
 * Asks again and again until the answer satisfies, and returns it.
 *
 * @throws Error with the last answer when the deadline has passed.
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T>,
  satisfied: (answer: T) => boolean,
  timeoutMs = 30_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (satisfied(answer)) return answer;
    if (Date.now() > deadline)
      throw new Error(`${what}: not within ${timeoutMs} ms; last seen ${JSON.stringify(answer)}`);
    await pause(50);
  }
}
