import { resolve } from 'node:path';
import type { EngineLimits, ModelFile, ModelProblem } from '@plinth/engine';
import { createLogger } from '@plinth/observability';
import { newEngineFolder } from '../engines/process/engine-folder';
import { ProcessDriver } from '../engines/process/process-driver';

/** What the fake engine does with a model: the JSON in its only file. */
export interface FakeModel {
  /** What it answers, to tell one model from another. */
  answer?: string;
  startMs?: number;
  broken?: readonly ModelProblem[];
  fails?: string;
  diesAtStart?: boolean;
  /** Line on its standard error. */
  says?: string;
}

/** What the fake engine does with a request: its JSON body, or the query of its address. */
export interface FakeQuery {
  delayMs?: number | string;
  /** Path of something: the answer waits until it is gone. */
  heldBy?: string;
  dies?: unknown;
  logs?: string;
  status?: number | string;
  /** Blanks before the answer. */
  bytes?: number | string;
}

export const fakeFiles = (model: FakeModel): ModelFile[] => [{ path: 'model.json', content: JSON.stringify(model) }];

const register = resolve(__dirname, '../../../../tools/jest/register-typescript.js');
export const limits: EngineLimits = {
  defaultRows: 10_000,
  maxRows: 50_000,
  queryMs: 60_000,
  concurrency: 8,
  cacheBytes: 1 << 20,
  modelMemoryBytes: 1 << 28,
  modelCallMs: 5_000,
};

/** The command of a fake engine, in place of the real one's. */
export const fakeCommand = (): { command: string; args: string[] } => ({
  command: process.execPath,
  args: ['-r', register, resolve(__dirname, 'fake-engine.ts')],
});

/** Runs fake engines as the real ones are run. */
export const fakeDriver = (): ProcessDriver =>
  new ProcessDriver({
    folder: newEngineFolder(),
    program: fakeCommand,
    limits,
    sandbox: { kind: 'none', users: { first: 1, last: 1 } },
    privateAddresses: true,
    logger: createLogger('runtime', 'silent'),
  });
