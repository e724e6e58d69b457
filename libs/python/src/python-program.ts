/** A column of the rows that a program gets. */
export interface PythonColumn {
  name: string;
  /** Texts in columns of numbers and of booleans become what they stand for; times do in `df`. */
  type: 'number' | 'boolean' | 'time' | 'other';
}

/** A program and the rows that it works on. */
export interface PythonProgram {
  code: string;
  columns: readonly PythonColumn[];
  rows: readonly Readonly<Record<string, unknown>>[];
}

/** What has become of a program, whether or not it has failed. */
export interface PythonOutcome {
  /** As JSON, of which no program can make more than 64 levels; null for none. */
  result: unknown;
  /** Why there is no result, in one sentence; null when there is one. */
  failure: string | null;
  /** What it has printed, and what it and Python have said of errors, as far as that is kept. */
  stdout: string;
  stderr: string;
}

/** The platform could not run a program, which is no fault of the program's. */
export class PythonBroken extends Error {
  override readonly name = 'PythonBroken';
}
