import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { ConfigError } from '@plinth/config';
import { CONFIG, SANDBOXES, type Sandboxes } from '@plinth/host';
import { findPython, PythonRunner, PythonUnusable } from '@plinth/python';
import { PythonAnalyses } from './python-analyses.service';
import { PythonMetrics } from './python-metrics';
import type { PythonConfig } from './python.config';

/** @throws ConfigError when there is no such Python */
async function runnerFor(config: PythonConfig, sandboxes: Sandboxes): Promise<PythonRunner | undefined> {
  const { pythonCommand, pythonConcurrency, pythonTimeoutS, pythonMemoryMb } = config;
  if (pythonCommand === '') return undefined;
  const python = await findPython(pythonCommand).catch((error: unknown) => {
    if (error instanceof PythonUnusable) throw new ConfigError([`PLINTH_PYTHON_COMMAND: ${error.message}`]);
    throw error;
  });
  const sandbox = await sandboxes.open(config, { readable: python.readable, secrets: [] });
  const limits = { simultaneous: pythonConcurrency, wallMs: pythonTimeoutS * 1_000, memoryMb: pythonMemoryMb };
  return new PythonRunner({ sandbox, python, limits });
}

const analyses = {
  provide: PythonAnalyses,
  inject: [CONFIG, SANDBOXES, PythonMetrics],
  useFactory: async (config: PythonConfig, sandboxes: Sandboxes, metrics: PythonMetrics): Promise<PythonAnalyses> =>
    new PythonAnalyses(await runnerFor(config, sandboxes), metrics),
};

/** Python programs of reports, run behind a wall where the operator provides Python. */
@Module({ providers: [analyses, PythonMetrics], exports: [PythonAnalyses] })
export class PythonModule implements OnApplicationShutdown {
  constructor(private readonly analyses: PythonAnalyses) {}

  onApplicationShutdown(): void {
    this.analyses.close();
  }
}
