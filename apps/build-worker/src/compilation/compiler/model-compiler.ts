import type { Sandbox } from '@plinth/sandbox';
import { findChildEntry } from './child-entry';
import { type CodeOwner, ownerKey } from './code-owner';
import { type CompileContext, type CompileJob, type CompileResult, type ModelFile, failed } from './compile-result';
import { CompileSlots } from './compile-slots';
import { CompilerCrash, CompilerUnavailable, crashError } from './compiler-crash';
import { CompilerProcess, type ProcessLimits } from './compiler-process';
import { Deadline } from './deadline';
import { selectModelFiles } from './model-files';

export interface ModelCompilerOptions extends Partial<ProcessLimits> {
  /** Compilations at the same time; default 2. */
  poolSize?: number;
  /** Blank children that are kept loaded for the next owners; default 1. */
  spares?: number;
  /** Compilations after which a child is replaced; default 100. */
  recycleAfter?: number;
}

export interface CompileOptions {
  /** `COMPILE_CONTEXT` of the model. */
  context?: CompileContext;
  /** A child that has run one owner's code serves that owner alone, so owners who compile often find theirs warm. */
  owner: CodeOwner;
  /** Has the result tell the members of the model. */
  describe?: boolean;
}

type Job = Omit<CompileJob, 'id'>;

const DEFAULTS = { poolSize: 2, spares: 1, recycleAfter: 100, timeoutMs: 60_000, memoryMb: 512, outputBytes: 1 << 20 };

/**
 * Compiles data models in sandboxed child processes. Models are code, possibly hostile: a child that misbehaves is killed
 * and replaced, and its model gets a compile error. Blank children are kept loaded for the next owners.
 */
export class ModelCompiler {
  private readonly options: Required<ModelCompilerOptions>;
  private readonly entry = findChildEntry();
  private readonly processes = new Set<CompilerProcess>();
  private readonly slots: CompileSlots;
  private closed = false;

  /** Equal versions make the same of the same model. */
  get version(): string {
    return this.entry.version;
  }

  constructor(
    private readonly sandbox: Sandbox,
    options: ModelCompilerOptions = {},
  ) {
    this.options = { ...DEFAULTS, ...options };
    this.slots = new CompileSlots(this.options.poolSize);
    this.keepSpares();
  }

  /**
   * Faults of the model are the result's errors.
   *
   * @throws CompilerUnavailable when the compiler is at fault
   */
  async compile(
    files: readonly ModelFile[],
    { context = {}, owner, describe = false }: CompileOptions,
  ): Promise<CompileResult> {
    const selected = selectModelFiles(files);
    // Nobody's code has to be run to know what becomes of it.
    if (selected.files.length === 0)
      return { valid: true, errors: [], cubesCount: 0, ...(describe && { members: [] }) };
    const slot = await this.slots.enter(owner);
    try {
      const job = { ...selected, context, background: slot.heavy, describe };
      const deadline = new Deadline(this.options.timeoutMs);
      const key = ownerKey(owner);
      const first = await this.attempt(job, this.claim(key), deadline);
      if (!(first instanceof CompilerCrash)) return first;
      // What the owner's code left behind must not fail the owner's next model, which gets a blank child.
      const second = await this.attempt(job, this.claimBlank(key), deadline);
      if (second instanceof CompilerCrash) throw this.unavailable(second);
      return second;
    } finally {
      slot.leave();
    }
  }

  /** Ends every child. Compilations under way are refused. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.processes].map((child) => child.stop()));
  }

  /** @returns the crash when the model's code had no part in it */
  private async attempt(job: Job, child: CompilerProcess, deadline: Deadline): Promise<CompileResult | CompilerCrash> {
    try {
      return await child.compile(job, deadline);
    } catch (error) {
      if (!(error instanceof CompilerCrash)) throw error;
      if (!error.byModel) return error;
      return { ...failed([crashError(error, job)]), aborted: true };
    } finally {
      this.release(child);
    }
  }

  private claim(owner: string): CompilerProcess {
    const own = [...this.processes].find((child) => child.owner === owner && !child.busy && child.usable);
    return own ? this.take(own, owner) : this.claimBlank(owner);
  }

  private claimBlank(owner: string): CompilerProcess {
    if (this.closed) throw this.unavailable();
    const blank = [...this.processes].find((child) => child.owner === undefined && child.usable);
    return this.take(blank ?? this.start(), owner);
  }

  private take(child: CompilerProcess, owner: string): CompilerProcess {
    child.busy = true;
    child.owner = owner;
    return child;
  }

  private release(child: CompilerProcess): void {
    child.busy = false;
    child.lastUsed = Date.now();
    if (child.compiled >= this.options.recycleAfter || !child.usable || this.closed) this.discard(child);
    this.keepSpares();
  }

  /** At most `poolSize` children with an owner, and the spares; the owner that was idle longest makes room. */
  private keepSpares(): void {
    if (this.closed) return;
    const children = [...this.processes].filter((child) => child.usable);
    const owned = children.filter((child) => child.owner !== undefined);
    const idle = owned.filter((child) => !child.busy).sort((a, b) => a.lastUsed - b.lastUsed);
    for (const child of idle.slice(0, Math.max(0, owned.length - this.options.poolSize))) this.discard(child);
    const blank = children.length - owned.length;
    for (let missing = this.options.spares - blank; missing > 0; missing -= 1) this.start();
  }

  private start(): CompilerProcess {
    const child = new CompilerProcess(this.entry, this.sandbox, this.options);
    this.processes.add(child);
    return child;
  }

  private discard(child: CompilerProcess): void {
    void child.stop().then(() => this.processes.delete(child));
  }

  private unavailable(cause?: CompilerCrash): CompilerUnavailable {
    return new CompilerUnavailable(this.closed ? 'The compiler is shutting down' : 'The compiler cannot be run', {
      cause,
    });
  }
}
