import { setTimeout as pause } from 'node:timers/promises';
import { boundMs } from '@plinth/testing';

/** Milliseconds until the answer is the wanted one. @throws Error when it still is another after `limitMs` of a quiet machine. */
export async function timeTo<Answer>(
  wanted: Answer,
  question: () => Promise<Answer>,
  limitMs: number,
): Promise<number> {
  const begin = performance.now();
  for (;;) {
    const answer = await question();
    const elapsed = performance.now() - begin;
    if (answer === wanted) return elapsed;
    if (elapsed > boundMs(limitMs)) throw new Error(`Still ${String(answer)} after ${Math.round(elapsed)} ms`);
    await pause(5);
  }
}
