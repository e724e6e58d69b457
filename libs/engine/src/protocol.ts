import type { WallKind } from '@plinth/sandbox';

/**
 * What a runtime and an engine process say to each other. The order is a line on the engine's standard input, where one to
 * prepare for it may come before; its reports are lines on its standard output. Requests of clients come over HTTP on the unix socket that the order names.
 */

/** A file of a data model. */
export interface ModelFile {
  path: string;
  content: string;
}

/** What an engine is to serve, and with what. Holds secrets: it travels by pipe alone. */
export interface EngineOrder {
  /** Path of the unix socket to listen on, in a folder that only the platform's user enters. */
  socketPath: string;
  /** Key of the tokens (JWT, HS256) that requests bring. It is of this engine alone. */
  tokenSecret: string;
  /** Environment variables of the deployment. Those that an embedded engine does not know are left out by the engine. */
  variables: Readonly<Record<string, string>>;
  /** Variables that hold paths of token files. For the engine alone: no model gets one. */
  tokenPaths: Readonly<Record<string, string>>;
  /** Files below the folder of the model, with their paths from there. */
  model: readonly ModelFile[];
  /** That folder, with its trailing slash: problems are named by it. */
  modelRoot: string;
  /** The project's `cube.js`, where there is one. */
  configuration?: string | undefined;
  /** What the build has made of YAML files, by the MD5 of their content in hexadecimal: they need not be parsed again. */
  transpiled: readonly (readonly [contentHash: string, code: string])[];
  /** Whether a build has found just this model sound: its cubes are not checked against the compiler's schemas again. */
  checked: boolean;
  limits: EngineLimits;
  /** The wall that holds on this machine, as the runtime has found it. */
  sandbox: { kind: WallKind; users: { first: number; last: number }; socket?: string | undefined };
  /** Whether addresses of private networks may be reached. */
  privateAddresses: boolean;
}

/**
 * Has the process load its packages and start a model process before anybody knows for whom; the order is the next line. It
 * holds nothing of a deployment, and no secrets.
 */
export interface PrepareOrder extends Pick<EngineOrder, 'limits' | 'sandbox'> {
  kind: 'prepare';
}

/** Has the process connect to data sources once and end, instead of serving. Holds secrets, as the other order. */
export interface ProbeOrder {
  kind: 'probe';
  /** As those of {@link EngineOrder}. */
  variables: Readonly<Record<string, string>>;
  tokenPaths: Readonly<Record<string, string>>;
  privateAddresses: boolean;
  /** For each of the connections, in milliseconds. */
  timeoutMs: number;
}

/** Why a data source cannot be reached. */
export type ProbeCause =
  | 'not_configured'
  | 'driver'
  | 'unknown_host'
  | 'address_refused'
  | 'refused'
  | 'timeout'
  | 'tls'
  | 'credentials'
  | 'database'
  | 'other';

/** What has come of one connection. Without secrets. */
export interface ProbedSource {
  /** Name of the data source in the model. */
  name: string;
  /** Kind of its database; null when none is set. */
  type: string | null;
  reachable: boolean;
  /** Null when it can be reached, and so is the message: a sentence for users. */
  cause: ProbeCause | null;
  message: string | null;
  durationMs: number;
}

export interface EngineLimits {
  /** Rows of a reply without a limit of its own, and the most that a query may ask for. */
  defaultRows: number;
  maxRows: number;
  /** Time of one query at the source, in milliseconds. */
  queryMs: number;
  /** Queries that run at the source at the same time. */
  concurrency: number;
  /** Bytes of results that are remembered. */
  cacheBytes: number;
  /** Heap of the model process, in bytes; the program itself may have 256 MiB more. */
  modelMemoryBytes: number;
  /** Time of one call of model code, in milliseconds. */
  modelCallMs: number;
}

/** Where in a model something is wrong. */
export interface ModelProblem {
  message: string;
  fileName?: string;
  line?: number;
}

/** Engine to runtime, one JSON document a line. */
export type EngineReport =
  /** It answers at its socket. */
  | { kind: 'ready'; native: 'binary' | 'stand-in' }
  /** What this engine made of YAML files that were not among the transpiled of its order. Comes once, before `ready`. */
  | { kind: 'transpiled'; transpiled: readonly (readonly [contentHash: string, code: string])[] }
  /** The model does not compile: the engine ends. */
  | { kind: 'broken'; problems: readonly ModelProblem[] }
  /** It cannot serve, and says why in a sentence without secrets: the engine ends. */
  | { kind: 'failed'; message: string }
  /** What an order to probe has found: the process ends. */
  | { kind: 'probed'; sources: readonly ProbedSource[] }
  /** A line for the log of the environment, without secrets and tokens. */
  | { kind: 'log'; level: 'info' | 'warning' | 'error'; message: string; container: 'engine' | 'model' }
  /** One query has ended. Durations in milliseconds. */
  | { kind: 'query'; route: string; durationMs: number; rows: number; cached: boolean; failed: boolean };
