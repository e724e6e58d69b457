import type { EngineLine } from '../logs/engine-line';
import type { EngineNews, Place } from './engine-driver';
import type { Transpiled } from './transpiled-models';

export type QueryReport = Extract<EngineNews, { kind: 'query' }>;

export type StartOutcome = 'ready' | 'broken' | 'failed' | 'given-up';

/** Hears what engines do. Must not throw. */
export interface EngineListener {
  line(line: EngineLine): void;
  query(place: Place, report: QueryReport): void;
  /** What an engine has made of YAML files, to be given to the next one of the environment. */
  transpiled(place: Place, transpiled: Transpiled): void;
  /** A start has come to its end, after so many seconds. */
  started(outcome: StartOutcome, seconds: number): void;
  /** An engine has ended by itself. */
  crashed(): void;
}
