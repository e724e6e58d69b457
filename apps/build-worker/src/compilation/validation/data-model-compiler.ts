import { Inject, Injectable } from '@nestjs/common';
import type { BareRepository, ObjectId } from '@plinth/git';
import { METRICS } from '@plinth/host';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { CodeOwner } from '../compiler/code-owner';
import { CompileCache } from '../compiler/compile-cache';
import type { CompileContext, CompileResult, ModelFile, Transpiled } from '../compiler/compile-result';
import { ModelCompiler } from '../compiler/model-compiler';
import type { DataModel } from '../../data-models';
import { SharedCompileResults, type CompileInput } from './shared-compile-results';

/** `COMPILE_CONTEXT`: what is compiled here is the model as it is for everybody. */
const CONTEXT: CompileContext = {};
/** Descriptions are larger than verdicts, and asked for less often. */
const MAX_DESCRIPTIONS = 32;
const MODEL_FOLDERS = /^(?:model|schema)\//;

interface Work {
  model: DataModel;
  commit: ObjectId;
  trust: CodeOwner['trust'];
  describe: boolean;
}

/** Compiles what a commit holds below the project folder; an unchanged tree costs one look-up. */
@Injectable()
export class DataModelCompiler {
  private readonly descriptions = new CompileCache(MAX_DESCRIPTIONS);
  private readonly seconds: Histogram;
  private readonly requests: Counter<'cache'>;

  constructor(
    private readonly compiler: ModelCompiler,
    private readonly cache: CompileCache,
    private readonly shared: SharedCompileResults,
    @Inject(METRICS) registry: Registry,
  ) {
    const registers = [registry];
    this.seconds = new Histogram({
      name: 'plinth_build_worker_compile_seconds',
      help: 'Time of compilations that were not answered from the cache',
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    });
    this.requests = new Counter({
      name: 'plinth_build_worker_compile_requests_total',
      help: 'Compilations asked for, by where the result came from: memory (hit), another worker (shared), anew (miss)',
      labelNames: ['cache'],
      registers,
    });
  }

  /** @throws CompilerUnavailable when the compiler is at fault */
  compile(model: DataModel, commit: ObjectId, trust: CodeOwner['trust']): Promise<CompileResult> {
    return this.resultOf({ model, commit, trust, describe: false });
  }

  /** As {@link compile}; the result of a valid model has its members. */
  describe(model: DataModel, commit: ObjectId, trust: CodeOwner['trust']): Promise<CompileResult> {
    return this.resultOf({ model, commit, trust, describe: true });
  }

  private async resultOf(work: Work): Promise<CompileResult> {
    const input = await this.inputOf(work);
    let cache = 'hit';
    const results = work.describe ? this.descriptions : this.cache;
    const result = await results.get(JSON.stringify(input), async () => {
      const shared = await this.shared.find(input);
      cache = shared ? 'shared' : 'miss';
      return shared ?? this.compileAnew(work, input);
    });
    this.requests.inc({ cache });
    return result;
  }

  /** What was made of the YAML files when the commit was compiled; nothing where nobody knows any more. */
  async transpiledOf(model: DataModel, commit: ObjectId, trust: CodeOwner['trust']): Promise<Transpiled> {
    return this.shared.findTranspiled(await this.inputOf({ model, commit, trust, describe: false }));
  }

  private async inputOf({ model, commit, trust, describe }: Work): Promise<CompileInput> {
    const { tenantId, deploymentId, deployProjectRoot } = model.settings;
    const tree = await model.git.treeOf(commit);
    const parts = [tree, deployProjectRoot, JSON.stringify(CONTEXT), this.compiler.version];
    return { owner: { tenantId, deploymentId, trust }, parts: describe ? [...parts, 'members'] : parts };
  }

  private async compileAnew({ model, commit, describe }: Work, input: CompileInput): Promise<CompileResult> {
    const files = await readModelFiles(model.git, commit, model.settings.deployProjectRoot);
    const stop = this.seconds.startTimer();
    const options = { owner: input.owner, context: CONTEXT, describe };
    const compiled = await this.compiler.compile(files, options).finally(stop);
    await this.shared.keep(input, compiled);
    const result = { ...compiled };
    delete result.transpiled;
    return result;
  }
}

/** The model's files in a commit; paths are relative to the project folder `root`. */
export async function readModelFiles(git: BareRepository, commit: ObjectId, root: string): Promise<ModelFile[]> {
  const files = (await git.readTree(commit, root === '' ? {} : { prefix: root }))
    .map(({ path, oid }) => ({ oid, path: root === '' ? path : path.slice(root.length + 1) }))
    .filter(({ path }) => MODEL_FOLDERS.test(path));
  const read: ModelFile[] = [];
  for await (const blob of git.readBlobs(files.map(({ oid }) => oid))) {
    read.push({ path: files[read.length]?.path ?? '', content: blob.toString('utf8') });
  }
  return read;
}
