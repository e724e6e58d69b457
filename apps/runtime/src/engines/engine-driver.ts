import type { Readable } from 'node:stream';
import type { EngineReport, ModelFile, ModelProblem } from '@plinth/engine';

/** An environment of a deployment, which has one engine. */
export interface Place {
  tenantId: number;
  deploymentId: number;
  environmentId: number;
  branchName: string;
  isProduction: boolean;
}

/** A file by which a deployment proves to an audience outside who it is. Its token is secret, and lasts an hour. */
export interface TokenFile {
  fileName: string;
  token: string;
}

/** What an engine serves. Whatever makes it another engine is in here; `variables` hold secrets. */
export interface EngineStart {
  place: Place;
  /** Name of this run of the engine, unlike all others. */
  pod: string;
  /** Version of the engine that the deployment asks for. */
  version: string;
  region: string;
  variables: Readonly<Record<string, string>>;
  /** Names of token files, by the variables that are to hold their paths. */
  tokenVariables: Readonly<Record<string, string>>;
  /** What the engine has at its start; undefined when that is not known. */
  tokens: readonly TokenFile[] | undefined;
  commitHash: string;
  /** Folder that the paths of the files begin at, with its slash at the end. */
  modelRoot: string;
  model: readonly ModelFile[];
  /** The project's `cube.js`, where there is one. */
  configuration?: string | undefined;
  /** What is known already of its YAML files, as in the engine's order. */
  transpiled: readonly (readonly [contentHash: string, code: string])[];
  /** Whether a build has found just this model sound. */
  checked: boolean;
}

/** What an engine says of itself while it starts and runs. */
export type EngineNews = Extract<EngineReport, { kind: 'log' | 'query' | 'transpiled' }>;

/** A request of the data API that may be made. */
export interface EngineCall {
  route: string;
  method: 'GET' | 'POST';
  /** Query of the address, without its question mark. */
  search: string;
  /** JSON; null without a body. */
  body: unknown;
  securityContext: Readonly<Record<string, unknown>>;
  /** Ends the request. */
  signal?: AbortSignal | undefined;
}

export interface EngineReply {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Destroying it ends the request at the engine. */
  body: Readable;
}

export interface EngineEnd {
  /** Why it ended although nobody asked it to; undefined when it was stopped. */
  fault?: string | undefined;
}

/** An engine that answers. */
export interface RunningEngine {
  /** @throws EngineGone when the engine ends before its reply begins; the request may be made again. */
  request(call: EngineCall): Promise<EngineReply>;
  /** Never rejects. */
  readonly ended: Promise<EngineEnd>;
  /** Each file is replaced at once, and others are removed. */
  replaceTokens(tokens: readonly TokenFile[]): Promise<void>;
  /** Resolves when it is gone. What runs in it gets `graceMs`. */
  stop(graceMs: number): Promise<void>;
  /** Bytes of memory that it takes at the moment; undefined when that is not this machine's. */
  memoryBytes(): number | undefined;
}

/** Engines that wait for what they are to serve, and know nothing of it: with one, a start takes a part of its time. */
export interface Spares {
  /** Has so many wait: what is missing is started, and what is too much is ended. */
  keep(count: number): void;
  /** Bytes of memory that those take which wait. */
  memoryBytes(): number;
}

/** A way to run engines. */
export interface EngineDriver {
  /** Undefined where none can wait. */
  readonly spares?: Spares;
  /**
   * Starts an engine and resolves when it answers. Nothing of it is left when this rejects, also by the signal.
   *
   * @throws ModelBroken, EngineFailed
   */
  start(order: EngineStart, onNews: (news: EngineNews) => void, signal: AbortSignal): Promise<RunningEngine>;
  /** Lets go of what the driver itself holds; its engines are stopped. */
  close(): Promise<void>;
}

/** The data model does not compile. */
export class ModelBroken extends Error {
  override readonly name = 'ModelBroken';

  constructor(readonly problems: readonly ModelProblem[]) {
    super(problems.map(lineOf).join('\n') || 'The data model does not compile');
  }
}

/** The engine cannot serve; the message is for users, without secrets. */
export class EngineFailed extends Error {
  override readonly name = 'EngineFailed';
}

/** The engine ended before it answered. */
export class EngineGone extends Error {
  override readonly name = 'EngineGone';
}

function lineOf({ message, fileName, line }: ModelProblem): string {
  const place = [fileName, line].filter((part) => part !== undefined).join(':');
  return place === '' ? message : `${place}: ${message}`;
}
