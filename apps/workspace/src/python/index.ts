export { PythonAnalyses } from './python-analyses.service';
export type { PythonRun } from './python-run';
export { pythonSettings } from './python.config';
export { PythonModule } from './python.module';
export type { Analysis } from './run-cache';
