export interface ModelFile {
  path: string;
  content: string;
}

/** What is wrong with a data model; file and line where they are known. */
export interface ModelError {
  message: string;
  fileName?: string;
  line?: number;
}

/** What became of YAML files, by the MD5 of their content in hexadecimal: whoever has it need not parse them again. */
export type Transpiled = (readonly [contentHash: string, code: string])[];

export interface CompileResult {
  valid: boolean;
  errors: ModelError[];
  /** Cubes and views, as the meta endpoint of a Cube server lists them; 0 for an invalid model. */
  cubesCount: number;
  /** What queries can name, of a valid model that was to be described; null when that is more than {@link MAX_MEMBERS_LENGTH}. */
  members?: CubeMembers[] | null;
  /** Set when the model made the compiler stop before it had an answer: another attempt may end otherwise. */
  aborted?: true;
  /** Of a valid model, for engines: it is handed over once, and remembered by nobody who wants the result alone. */
  transpiled?: Transpiled;
}

/** Names in a cube or a view, without its own in front. Those that are not public count: queries may use them. */
export interface CubeMembers {
  name: string;
  kind: 'cube' | 'view';
  measures: string[];
  dimensions: string[];
  segments: string[];
}

/** `COMPILE_CONTEXT` of the model. */
export type CompileContext = Readonly<Record<string, unknown>>;

/** Parent to child, one JSON document a line. `root` is the folder whose files are given, with its trailing slash. */
export interface CompileJob {
  id: string;
  root: string;
  files: ModelFile[];
  context: CompileContext;
  /** Whether others' compilations come first. */
  background: boolean;
  /** Whether the result has the members, and nothing for engines. */
  describe: boolean;
}

/**
 * Child to parent, one JSON document a line: that it is loaded; then for each job that it has begun, whose file's code
 * runs next, and the result.
 */
export type ChildMessage =
  | { kind: 'ready' }
  | { kind: 'begun'; id: string }
  | { kind: 'file'; path: string }
  | { kind: 'result'; id: string; result: CompileResult };

/** Beyond these, errors are left out and messages cut off: nobody reads them, and everybody would have to carry them. */
export const MAX_ERRORS = 200;
export const MAX_MESSAGE = 2_000;
/** Files and bytes of what is handed over; of a larger model, some is. */
export const MAX_TRANSPILED_FILES = 5_000;
export const MAX_TRANSPILED_BYTES = 8 << 20;
/** Characters of the members of a model, as JSON. */
export const MAX_MEMBERS_LENGTH = 1 << 20;

export function failed(errors: ModelError[]): CompileResult {
  return { valid: false, errors, cubesCount: 0 };
}
