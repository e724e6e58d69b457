import { findChildEntry } from './child-entry';
import { type CompileContext, type CompileResult, type ModelError, type ModelFile, failed } from './compile-result';
import { CompilerCrash, CompilerProcess, type ProcessLimits } from './compiler-process';
import { selectModelFiles } from './model-files';

export interface ModelCompilerOptions extends Partial<ProcessLimits> {
  /** Compilations at the same time; default 2. */
  poolSize?: number;
  /** Compilations after which a child is replaced; default 100. */
  recycleAfter?: number;
}

export interface CompileOptions {
  /** `COMPILE_CONTEXT` of the model. */
  context?: CompileContext;
  /**
   * Whose code this is. A child that has run one owner's code serves that owner alone, so owners who compile often find
   * theirs warm; without an owner the child is used once.
   */
  owner?: string;
}

const SHUTTING_DOWN = { message: 'The compiler is shutting down' };
const DEFAULTS = { poolSize: 2, recycleAfter: 100, timeoutMs: 60_000, memoryMb: 512, outputBytes: 1 << 20 };

/**
 * Compiles data models in sandboxed child processes. Models are code, possibly hostile: a child that misbehaves is killed
 * and replaced, and its model gets a compile error. One blank child is kept loaded for the next owner.
 */
export class ModelCompiler {
  private readonly options: Required<ModelCompilerOptions>;
  private readonly entry = findChildEntry();
  private readonly processes = new Set<CompilerProcess>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;
  private closed = false;

  constructor(options: ModelCompilerOptions = {}) {
    this.options = { ...DEFAULTS, ...options };
    this.keepBlank();
  }

  /** Never rejects for a fault of the model: those are the result's errors. */
  async compile(files: readonly ModelFile[], { context = {}, owner }: CompileOptions = {}): Promise<CompileResult> {
    const job = { ...selectModelFiles(files), context };
    await this.enter();
    const child = this.closed ? undefined : this.claim(owner);
    try {
      return child ? await child.compile(job) : aborted(SHUTTING_DOWN);
    } catch (error) {
      if (!(error instanceof CompilerCrash)) throw error;
      return aborted(this.closed ? SHUTTING_DOWN : crashError(error, job.root, job.files));
    } finally {
      if (child) this.release(child);
      this.leave();
    }
  }

  /** Ends every child. Compilations under way get an error. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.processes].map((child) => child.stop()));
  }

  private async enter(): Promise<void> {
    if (this.running >= this.options.poolSize) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running += 1;
  }

  /** Hands the slot to the next in line, or gives it up. */
  private leave(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.running -= 1;
  }

  private claim(owner: string | undefined): CompilerProcess {
    const idle = [...this.processes].filter((child) => !child.busy && child.usable);
    const own = owner === undefined ? undefined : idle.find((child) => child.owner === owner);
    const child = own ?? idle.find((candidate) => candidate.compiled === 0) ?? this.start();
    child.busy = true;
    child.owner = owner;
    return child;
  }

  private release(child: CompilerProcess): void {
    child.busy = false;
    child.lastUsed = Date.now();
    const spent = child.owner === undefined || child.compiled >= this.options.recycleAfter;
    if (spent || !child.usable || this.closed) this.discard(child);
    this.keepBlank();
  }

  /** At most `poolSize` children with an owner and one blank; the owner that was idle longest makes room. */
  private keepBlank(): void {
    if (this.closed) return;
    const children = [...this.processes];
    const owned = children.filter((child) => child.owner !== undefined && !child.busy);
    owned.sort((a, b) => a.lastUsed - b.lastUsed);
    const surplus = children.filter((child) => child.owner !== undefined).length - this.options.poolSize;
    for (const child of owned.slice(0, Math.max(0, surplus))) this.discard(child);
    if (!children.some((child) => child.compiled === 0 && !child.busy)) this.start();
  }

  private start(): CompilerProcess {
    const child = new CompilerProcess(this.entry, this.options);
    this.processes.add(child);
    return child;
  }

  private discard(child: CompilerProcess): void {
    void child.stop().then(() => this.processes.delete(child));
  }
}

function aborted(error: ModelError): CompileResult {
  return { ...failed([error]), aborted: true };
}

/** A crash says nothing about its place; only where one file has code of its own is that file to blame. */
function crashError(crash: CompilerCrash, root: string, files: readonly ModelFile[]): ModelError {
  const scripts = files.filter(
    ({ path, content }) => path.endsWith('.js') || path.endsWith('.jinja') || /{%/.test(content),
  );
  const [only] = scripts.length === 1 ? scripts : [];
  return only ? { message: crash.message, fileName: root + only.path } : { message: crash.message };
}
