import type { Sandbox } from '@plinth/sandbox';
import { FairTurns } from './fair-turns';
import { defaultPythonLimits, type PythonLimits } from './limits';
import type { Python } from './python';
import { PythonProcess } from './python-process';
import { PythonBroken, type PythonOutcome, type PythonProgram } from './python-program';

export interface PythonRunnerOptions {
  /** Opened with the `readable` of the Python. */
  sandbox: Sandbox;
  python: Python;
  limits?: Partial<PythonLimits>;
}

export interface PythonRunOptions {
  /** Whose program it is, for example the tenant's id: owners take turns. */
  owner: string;
  signal?: AbortSignal;
}

/**
 * Runs Python programs over rows, each in a process of its own behind a wall: no network, no files, an empty environment.
 */
export class PythonRunner {
  private readonly limits: PythonLimits;
  private readonly turns: FairTurns;
  private readonly closing = new AbortController();

  constructor(private readonly options: PythonRunnerOptions) {
    this.limits = { ...defaultPythonLimits, ...options.limits };
    this.turns = new FairTurns(this.limits);
  }

  /**
   * A program that fails has an outcome, which says so.
   *
   * @throws TurnsFull when too many programs wait already
   * @throws PythonBroken when the interpreter does not start, or the runner is closed
   * @throws the reason of the signal
   */
  run(program: PythonProgram, { owner, signal }: PythonRunOptions): Promise<PythonOutcome> {
    const either = AbortSignal.any([this.closing.signal, ...(signal ? [signal] : [])]);
    const { sandbox, python } = this.options;
    return this.turns.take(owner, either, () => new PythonProcess(sandbox, python, this.limits).run(program, either));
  }

  /** Ends all programs; those that wait fail. */
  close(): void {
    this.closing.abort(new PythonBroken('Programs are not run any more: the service stops'));
  }
}
