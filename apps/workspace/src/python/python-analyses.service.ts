import { AppError } from '@plinth/errors';
import { PythonBroken, TurnsFull, type PythonColumn, type PythonOutcome, type PythonRunner } from '@plinth/python';
import { requestContext } from '@plinth/observability';
import type { Column, QueryCaller, Row } from '@plinth/queries';
import type { PythonEnd, PythonMetrics } from './python-metrics';
import type { PythonRun } from './python-run';
import { RunCache, type Analysis } from './run-cache';

interface Rows {
  columns: readonly Column[];
  rows: readonly Row[];
}

/** Runs the Python programs of reports over the rows that somebody sees. */
export class PythonAnalyses {
  private readonly cache = new RunCache();

  /** @param runner - undefined where the operator has provided no Python */
  constructor(
    private readonly runner: PythonRunner | undefined,
    private readonly metrics: PythonMetrics,
  ) {}

  /**
   * A program that fails has run, and says so. Its rows are read only when the result is not known.
   *
   * @throws AppError `python.off` (403), `python.not_provided` (501), `python.busy` (503), `service.unavailable` (503) when
   *   Python does not start; and whatever reading the rows throws
   */
  async run(caller: QueryCaller, analysis: Analysis, read: () => Promise<Rows>): Promise<PythonRun> {
    if (!caller.isPythonEnabled) throw new AppError('python.off', 'The account has switched Python programs off');
    if (!this.runner) throw notProvided();
    const known = this.cache.get(caller, analysis);
    if (known) {
      this.metrics.ended('cached');
      return known;
    }
    const { columns, rows } = await read();
    const outcome = await this.outcome(this.runner, caller, { code: analysis.code, columns, rows });
    const run = { ...outcome, at: new Date(), inputRowCount: rows.length, columns };
    this.cache.keep(caller, analysis, run);
    return run;
  }

  close(): void {
    this.runner?.close();
  }

  private async outcome(
    runner: PythonRunner,
    { principal }: QueryCaller,
    { code, columns, rows }: Rows & { code: string },
  ): Promise<PythonOutcome> {
    const { signal } = requestContext() ?? {};
    const started = performance.now();
    const end = (how: PythonEnd): void => this.metrics.ended(how, (performance.now() - started) / 1_000);
    try {
      const program = { code, columns: columns.map(toPythonColumn), rows };
      const outcome = await runner.run(program, { owner: String(principal.tenantId), ...(signal && { signal }) });
      end(outcome.failure === null ? 'result' : 'failure');
      return outcome;
    } catch (error) {
      end(error instanceof TurnsFull ? 'busy' : error instanceof PythonBroken ? 'broken' : 'abandoned');
      throw asAppError(error);
    }
  }
}

const types: Readonly<Record<string, PythonColumn['type']>> = {
  number: 'number',
  double: 'number',
  float64: 'number',
  int64: 'number',
  int32: 'number',
  decimal: 'number',
  boolean: 'boolean',
  time: 'time',
  timestamp: 'time',
  date: 'time',
};

/** The data API has types of its own, and SQL has others. */
const toPythonColumn = ({ name, type }: Column): PythonColumn => ({ name, type: types[type] ?? 'other' });

function asAppError(error: unknown): unknown {
  if (error instanceof TurnsFull)
    return new AppError('python.busy', 'Too many Python programs are waiting already', { retryAfterSeconds: 5 });
  if (error instanceof PythonBroken)
    return new AppError('service.unavailable', 'Python could not be started', { cause: error });
  return error;
}

const notProvided = (): AppError =>
  new AppError(
    'python.not_provided',
    'This platform runs no Python programs: its operator has to provide Python by PLINTH_PYTHON_COMMAND',
  );
