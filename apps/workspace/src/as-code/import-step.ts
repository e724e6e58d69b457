import type { Schemas } from '@plinth/contract';
import { AppError } from '@plinth/errors';

type Change = Schemas['WorkspaceChange'];

/** A part of an import that is ready to be done; it can still be refused. */
export interface ImportStep {
  change: Change;
  /** Answers the id of the thing. */
  apply(): Promise<number>;
  /** What has to wait until everything is there. */
  finish?(): Promise<void>;
}

/** Does the steps one after another; what refuses one of them refuses the import, and names the file. */
export async function applySteps(steps: readonly ImportStep[]): Promise<Change[]> {
  const done: Change[] = [];
  for (const step of steps) done.push({ ...step.change, id: await naming(step, () => step.apply()) });
  for (const step of steps) await naming(step, async () => step.finish?.());
  return done;
}

async function naming<Result>({ change }: ImportStep, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AppError && error.status < 500 ? inFile(error, change.file ?? change.name) : error;
  }
}

function inFile(error: AppError, file: string): AppError {
  const problems = error.details ?? [{ path: '', message: error.message }];
  const details = problems.map(({ path, message }) => ({ path: `${file}${path}`, message }));
  return new AppError(error.code, `${file} ${error.message}`, { details, cause: error });
}
