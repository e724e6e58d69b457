import type { CompileJob, ModelError } from './compile-result';

/** Why a child had to be thrown away; the message is a sentence for the model's author. */
export class CompilerCrash extends Error {
  override readonly name = 'CompilerCrash';

  constructor(
    message: string,
    /** Whether code of the model that was to be compiled is to blame: nothing else can be when it has not begun to run. */
    readonly byModel: boolean,
    /** The file whose code ran last, as far as the child has said. */
    readonly lastFile?: string,
  ) {
    super(message);
  }
}

/** No compilation could take place, for reasons that have nothing to do with the model: try again, or elsewhere. */
export class CompilerUnavailable extends Error {
  override readonly name = 'CompilerUnavailable';
}

// V8 aborts or traps when it gets no memory; a shell in between turns the signal into a code.
const OUT_OF_MEMORY = ['SIGABRT', 'SIGTRAP', 'SIGILL', 134, 133, 132];
// Sent by the operator or by the kernel when the machine runs out of memory; a model can send none.
const FROM_OUTSIDE = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 137, 143, 130, 129];

/** What the end of a child says that nobody here has ended. */
export function exitReason(
  code: number | null,
  signal: string | null,
  memoryMb: number,
): { reason: string; outside: boolean } {
  const status = signal ?? code ?? 0;
  if (FROM_OUTSIDE.includes(status))
    return { reason: `The compiler was ended from outside (${status})`, outside: true };
  const outOfMemory = OUT_OF_MEMORY.includes(status);
  if (outOfMemory) return { reason: `Compilation needs more than ${memoryMb} MiB of memory`, outside: false };
  // Node ends by itself when nothing is left that could happen.
  if (status === 0) return { reason: 'The data model waits for something that never happens', outside: false };
  return { reason: `The data model ended its compiler (${status})`, outside: false };
}

/** Ties a crash to a file: the one that the child named, or the only one that has code of its own. */
export function crashError(crash: CompilerCrash, { root, files }: Pick<CompileJob, 'root' | 'files'>): ModelError {
  const named = files.find(({ path }) => path === crash.lastFile);
  const scripts = files.filter(({ path, content }) => /\.(?:js|jinja)$/.test(path) || content.includes('{%'));
  const culprit = named ?? (scripts.length === 1 ? scripts[0] : undefined);
  return { message: crash.message, ...(culprit && { fileName: root + culprit.path }) };
}
