import type { TurnOutcome } from './turn-metrics';

/** Why a turn ends before its answer: the reason of its signal. */
export class TurnEnd extends Error {
  /** @param sentence said in the thread; without one the stream just ends. */
  constructor(
    readonly outcome: TurnOutcome,
    readonly sentence?: string,
  ) {
    super('The turn was ended');
    this.name = 'TurnEnd';
  }
}
