export { TurnsFull } from './fair-turns';
export { askInterpreter, type Interpreter, type InterpreterQuestion } from './interpreter';
export { defaultPythonLimits, type PythonLimits } from './limits';
export { findPython, PythonUnusable, type Python } from './python';
export { PythonBroken, type PythonColumn, type PythonOutcome, type PythonProgram } from './python-program';
export { PythonRunner, type PythonRunnerOptions, type PythonRunOptions } from './python-runner';
