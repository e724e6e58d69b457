import type { ModelFile, ModelProblem } from '../protocol';

/** Engine to model process, one JSON document a line: first the model, then a call each time that it is idle. */
export interface ModelStart {
  model: readonly ModelFile[];
  /** Folder of the model, with its trailing slash: problems are named by it. */
  root: string;
  /** The project's `cube.js`. */
  configuration: string | undefined;
  transpiled: readonly (readonly [contentHash: string, code: string])[];
  /** Whether it is known to be sound. */
  checked: boolean;
  /** Environment variables that its SQL depends on: no secrets. */
  variables: Readonly<Record<string, string>>;
  /** Kinds of the databases by the names of their data sources. */
  databases: Readonly<Record<string, string>>;
  preAggregationsSchema: string;
}

export interface ModelCall {
  method: ModelMethod;
  args: readonly unknown[];
}

/** What is asked of a model; those of the compiler have its names. */
export type ModelMethod =
  | 'metaConfig'
  | 'metaConfigExtended'
  | 'applyRowLevelSecurity'
  | 'getSql'
  | 'preAggregations'
  | 'memberToDataSource'
  | 'cubeNameToDataSource'
  | 'queryRewrite';

/** What an engine need not ask every time. */
export interface ModelFeatures {
  /** Whether there are access policies: else no query is changed by them. */
  policies: boolean;
  /** Whether the configuration rewrites queries. */
  rewrites: boolean;
  /** Whether the model itself depends on who asks. */
  perContext: boolean;
}

/**
 * Model process to engine, one JSON document a line. `ready` or `broken` answers the start, `value` or `error` a call, after
 * which `idle` says that nothing is left running and the next call may come.
 */
export type ModelMessage =
  | { kind: 'ready'; features: ModelFeatures; transpiled: [string, string][]; warnings: string[] }
  | { kind: 'broken'; problems: ModelProblem[] }
  | { kind: 'value'; value: unknown }
  | { kind: 'error'; message: string }
  | { kind: 'idle' };

export const MAX_PROBLEMS = 200;
export const MAX_MESSAGE = 2_000;
/** The segment by which the engine lets nothing through. Its condition is a function, which does not travel. */
export const DENIAL = 'rlsAccessDenied';
