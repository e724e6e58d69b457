import type { EngineNews, Place } from './engine-driver';
import type { Transpiled } from './transpiled-models';

/** What the log of an environment is told of an engine. */
export interface EngineLine {
  place: Place;
  pod: string;
  /** `INIT` for its start and end, as the runtime sees them. */
  container: 'INIT' | 'cubejs-server';
  message: string;
}

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
