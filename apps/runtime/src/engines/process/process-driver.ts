import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineLimits, EngineOrder } from '@plinth/engine';
import type { Logger } from '@plinth/observability';
import type { EngineDriver, EngineNews, EngineStart, RunningEngine } from '../engine-driver';
import { EngineHttp } from '../engine-http';
import { EngineProcess } from './engine-process';
import { EngineTokens } from '../engine-tokens';
import { tokenPaths } from '../token-paths';
import { residentBytes } from './process-memory';
import { SpareProcesses } from './spare-processes';
import { TokenFolder } from './token-folder';

/** What an engine that is not wanted any more gets to end by itself, in milliseconds. */
const GIVE_UP_GRACE_MS = 1_000;

export interface ProcessDriverOptions {
  /** Holds the sockets and the tokens of the engines, and is removed in the end: a {@link newEngineFolder}. */
  folder: string;
  /** What starts an engine's program, which is looked for when one is started. */
  program: () => { command: string; args: readonly string[] };
  limits: EngineLimits;
  sandbox: EngineOrder['sandbox'];
  privateAddresses: boolean;
  logger: Logger;
}

/** Runs each engine as a process beside this one, which answers at a unix socket. */
export class ProcessDriver implements EngineDriver {
  readonly spares: SpareProcesses;
  private started = 0;

  constructor(private readonly options: ProcessDriverOptions) {
    const { limits, sandbox, logger } = options;
    this.spares = new SpareProcesses({ create: () => this.newProcess(), order: { limits, sandbox }, logger });
  }

  async start(
    { variables, tokenVariables, tokens, model, modelRoot, configuration, transpiled, checked }: EngineStart,
    onNews: (news: EngineNews) => void,
    signal: AbortSignal,
  ): Promise<RunningEngine> {
    signal.throwIfAborted();
    const { folder, limits, sandbox, privateAddresses } = this.options;
    this.started += 1;
    const socketPath = join(folder, String(this.started));
    const tokenSecret = randomBytes(32).toString('base64url');
    const tokenFolder = new TokenFolder(`${socketPath}-tokens`);
    const engine = this.spares.take() ?? this.newProcess();
    const giveUp = (): void => void engine.stop(0);
    void engine.ended.then(() => tokenFolder.remove());
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      tokenFolder.replace(tokens ?? []);
      const order: EngineOrder = {
        socketPath,
        tokenSecret,
        variables,
        tokenPaths: tokenPaths({ variables, tokenVariables }, tokenFolder.path),
        model,
        modelRoot,
        configuration,
        transpiled,
        checked,
        limits,
        sandbox,
        privateAddresses,
      };
      await engine.start(order, onNews);
      return runningEngine(engine, tokenFolder, new EngineHttp({ socketPath }, new EngineTokens(tokenSecret)));
    } catch (error) {
      await engine.stop(GIVE_UP_GRACE_MS);
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  async close(): Promise<void> {
    await this.spares.close();
    rmSync(this.options.folder, { recursive: true, force: true });
  }

  private newProcess(): EngineProcess {
    const { program, folder } = this.options;
    return new EngineProcess(program(), folder);
  }
}

function runningEngine(engine: EngineProcess, tokenFolder: TokenFolder, http: EngineHttp): RunningEngine {
  void engine.ended.then(() => http.close());
  return {
    request: (call) => http.request(call),
    ended: engine.ended,
    replaceTokens: async (tokens) => tokenFolder.replace(tokens),
    stop: (graceMs) => engine.stop(graceMs),
    memoryBytes: () => (engine.pid === undefined ? undefined : residentBytes(engine.pid)),
  };
}
